import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '#admin/components/button.tsx'
import { IconButton } from '#admin/components/icon-button.tsx'
import { formatAgo } from '#admin/lib/format-ago.ts'
import { formatCount } from '#contract/format-count.ts'
import type { BlockedHost } from '#contract/tag-status.ts'
import { useBlockedHosts } from '../api/change-tags.ts'
import type { BlockedLine } from '../list-blocked-lines.ts'

interface BlockedLineNoteProps {
  line: BlockedLine
  /** Where nobody knows whose it is: the choice, and what was chosen ('' for nothing yet). */
  owner?: { choice: ReactNode; pixelId: string }
}

/** What the policy kept a vendor from: one click permits what the catalogue names, the rest is permitted by its full name. */
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
          A página barrou {formatCount(line.count, 'vez', 'vezes')}, a última{' '}
          {formatAgo(line.lastSeenAt, Date.now())}.
          {line.pixelIds.length > 1 ? ` Permitir vale para ${line.pixelIds.length} pixels.` : null}
        </p>
        {shared.length === 0 ? null : (
          <p className="mt-1 text-sm text-warn">
            Qualquer pessoa publica arquivos em {shared.join(', ')}. Permita só se você sabe que a sua
            plataforma usa esse endereço.
          </p>
        )}
      </div>
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
                Permitir <span className="font-mono text-[0.8125rem] wrap-anywhere">{row.host}</span>
              </>
            }
            isStopped={isStopped}
            onPermit={permitAll}
          />
        ))}
        <IconButton
          label={`Ignorar ${hosts.join(', ')}`}
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

/** Never `disabled`: a button that goes grey under the finger takes the focus with it. */
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
