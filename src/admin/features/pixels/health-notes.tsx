import { X } from 'lucide-react'
import type { ReactNode, RefObject } from 'react'
import { Button, IconButton } from '#admin/components/button.tsx'
import { MessageBox } from '#admin/components/message.tsx'
import { useFocusAfterRemoval } from '#admin/components/page-heading.tsx'
import { HostName } from '#admin/components/text.tsx'
import { formatAgo } from '#admin/lib/format.ts'
import { formatCount } from '#contract/format-count.ts'
import type { BlockedHost, HealthReason, TagWarning } from '#contract/tag-status.ts'
import type { FormStart } from './form/schema.ts'
import {
  type BlockedLine,
  explainScriptError,
  isAboutSending,
  listNotes,
  type PixelNote as Note,
} from './health.ts'
import { type PixelRun, useBlockedHosts, useRearm } from './tag-status.ts'

interface HealthNotesProps {
  pixelId: string
  run: PixelRun | undefined
  /** Gets the focus when the focused note is resolved. */
  focusAfter: RefObject<HTMLElement | null>
  /** Opens the form at the fault. */
  onFix: (startsAt: FormStart) => void
}

/** Every reason with its fix, and warnings about the code. */
export function HealthNotes({ pixelId, run, focusAfter, onFix }: HealthNotesProps) {
  const notes = run ? listNotes(run.status.reasons, run.blocked) : []
  const said = new Set(run?.status.reasons.map(({ code }) => code))
  const warnings = run?.status.warnings.filter(({ code }) => !said.has(code)) ?? []
  useFocusAfterRemoval(notes.length, focusAfter)
  return (
    <>
      {notes.length === 0 ? null : (
        <ul className="text-[0.9375rem]/[1.45]">
          {notes.map((note) => (
            <li key={note.key} className="border-t border-line py-2.5">
              <PixelNote
                note={note}
                pixelId={pixelId}
                lastError={run?.status.last_error ?? null}
                onFix={onFix}
              />
            </li>
          ))}
        </ul>
      )}
      <TagWarnings warnings={warnings} />
    </>
  )
}

interface PixelNoteProps {
  note: Note
  pixelId: string
  /** The last error of the pixel's scripts. */
  lastError: string | null
  onFix: (startsAt: FormStart) => void
}

/** One sentence about a pixel, and the button that fixes it. */
export function PixelNote({ note, ...rest }: PixelNoteProps) {
  if (note.kind === 'blocked') return <BlockedLineNote line={note.line} />
  return <ReasonNote reason={note.reason} {...rest} />
}

interface ReasonNoteProps extends Omit<PixelNoteProps, 'note'> {
  reason: HealthReason
}

function ReasonNote({ reason, pixelId, lastError, onFix }: ReasonNoteProps) {
  const { code, message, host, action } = reason
  const { permit, isPending: isPermitting } = useBlockedHosts()
  const { rearm, isPending: isRearming } = useRearm(pixelId)
  const isPending = isPermitting || isRearming
  const act = () => {
    if (action?.kind === 'permit') permit({ ids: action.ids, hosts: [host ?? ''], pixelIds: [pixelId] })
    else if (action?.kind === 'rearm') rearm(code === 'breaker_paused')
    else onFix(isAboutSending(code) ? 'sending' : 'code')
  }
  return (
    <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
      <div className="min-w-0 flex-[1_1_16rem] text-pretty wrap-anywhere">
        <p>{message}</p>
        {code === 'script_error' && lastError !== null ? (
          <p className="text-sm text-text-2">O que isso significa: {explainScriptError(lastError)}</p>
        ) : null}
      </div>
      {action === undefined ? null : (
        <Button look="outline" pending={isPending} onClick={act} className="bg-surface wrap-anywhere">
          {action.label}
        </Button>
      )}
    </div>
  )
}

interface BlockedLineNoteProps {
  line: BlockedLine
  /** If the pixel is unknown: a selection, and its value ('' for none). */
  owner?: { choice: ReactNode; pixelId: string }
}

/**
 * What the policy stopped of a vendor: one click permits the catalogue's hosts, others are permitted by their full
 * name.
 */
export function BlockedLineNote({ line, owner }: BlockedLineNoteProps) {
  const { permit, ignore, isPending } = useBlockedHosts()
  const { set, singles, hosts } = line
  const isStopped = isPending || owner?.pixelId === ''
  const permitAll = (rows: readonly BlockedHost[]) =>
    isStopped ||
    permit({
      ids: rows.map(({ id }) => id),
      hosts: [...new Set(rows.map(({ host }) => host))],
      pixelIds: [...new Set(rows.flatMap(({ pixel_ids }) => pixel_ids))],
      ...(owner === undefined ? {} : { pixelId: owner.pixelId }),
    })
  const shared = singles.filter((row) => row.permit === 'shared').map(({ host }) => host)
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <div className="min-w-0 flex-[1_1_16rem] text-pretty wrap-anywhere">
        <p>{line.message}</p>
        <p className="text-sm text-text-2">
          O site bloqueou {formatCount(line.count, 'vez', 'vezes')}. Última:{' '}
          {formatAgo(line.lastSeenAt, Date.now())}.
          {line.pixelIds.length > 1 ? ` A permissão vale para ${line.pixelIds.length} pixels.` : null}
        </p>
        {shared.length === 0 ? null : (
          <p className="mt-1 text-sm text-warn">
            Qualquer pessoa pode publicar arquivos em {shared.join(', ')}. Permita só se você tem certeza de
            que a plataforma usa esse domínio.
          </p>
        )}
      </div>
      <div className="flex min-w-0 items-center gap-2">
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          {owner?.choice}
          {set.length === 0 ? null : (
            <PermitButton rows={set} label="Permitir" isStopped={isStopped} onPermit={permitAll} />
          )}
          {singles.map((row) => (
            <PermitButton
              key={row.id}
              rows={[row]}
              label={
                <>
                  Permitir <HostName value={row.host} />
                </>
              }
              isStopped={isStopped}
              onPermit={permitAll}
            />
          ))}
        </div>
        <IconButton
          label={`Ignorar bloqueio: ${hosts.join(', ')}`}
          aria-disabled={isPending}
          onClick={() => isPending || ignore({ ids: line.ids, hosts })}
        >
          <X aria-hidden="true" />
        </IconButton>
      </div>
    </div>
  )
}

interface PermitButtonProps {
  rows: readonly BlockedHost[]
  label: ReactNode
  isStopped: boolean
  onPermit: (rows: readonly BlockedHost[]) => void
}

/** Never `disabled`, which would lose the focus. */
function PermitButton({ rows, label, isStopped, onPermit }: PermitButtonProps) {
  return (
    <Button
      look="outline"
      aria-label={`Permitir ${[...new Set(rows.map(({ host }) => host))].join(', ')}`}
      aria-disabled={isStopped}
      onClick={() => onPermit(rows)}
      className="min-w-0 bg-surface"
    >
      <span className="min-w-0">{label}</span>
    </Button>
  )
}

export function TagWarnings({ warnings }: { warnings: readonly TagWarning[] }) {
  if (warnings.length === 0) return null
  return (
    <div className="grid gap-2" aria-live="polite">
      {warnings.map((warning) => (
        <MessageBox key={warning.message} look="warn">
          {warning.message}
        </MessageBox>
      ))}
    </div>
  )
}
