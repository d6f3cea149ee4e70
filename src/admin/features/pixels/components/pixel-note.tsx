import { Button } from '#admin/components/button.tsx'
import type { HealthReason } from '#contract/tag-status.ts'
import { useBlockedHosts, useRearm } from '../api/change-tags.ts'
import { explainScriptError } from '../explain-script-error.ts'
import type { PixelNote as Note } from '../list-notes.ts'
import { isAboutSending } from '../sending/stop-codes.ts'
import { BlockedLineNote } from './blocked-line-note.tsx'
import type { FormStart } from './form-start.ts'

interface PixelNoteProps {
  note: Note
  pixelId: string
  /** The last thing that a script of the pixel complained of. */
  lastError: string | null
  onMend: (startsAt: FormStart) => void
}

/** One sentence about a pixel, and the button that mends it. */
export function PixelNote({ note, ...rest }: PixelNoteProps) {
  if (note.kind === 'blocked') return <BlockedLineNote line={note.line} />
  return <ReasonNote reason={note.reason} {...rest} />
}

interface ReasonNoteProps extends Omit<PixelNoteProps, 'note'> {
  reason: HealthReason
}

function ReasonNote({ reason, pixelId, lastError, onMend }: ReasonNoteProps) {
  const { code, message, host, action } = reason
  const { permit, isPending: isPermitting } = useBlockedHosts()
  const { rearm, isPending: isRearming } = useRearm(pixelId)
  const isPending = isPermitting || isRearming
  const act = () => {
    if (action?.kind === 'permit') permit({ ids: action.ids, hosts: [host ?? ''], pixelIds: [pixelId] })
    else if (action?.kind === 'rearm') rearm(code === 'breaker_paused')
    else onMend(isAboutSending(code) ? 'sending' : 'code')
  }
  return (
    <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
      <div className="min-w-0 flex-[1_1_16rem] text-pretty wrap-anywhere">
        <p>{message}</p>
        {code === 'script_error' && lastError !== null ? (
          <p className="text-sm text-text-2">Em outras palavras: {explainScriptError(lastError)}</p>
        ) : null}
      </div>
      {action === undefined ? null : (
        <Button
          look="outline"
          aria-disabled={isPending}
          onClick={() => isPending || act()}
          className="bg-surface wrap-anywhere"
        >
          {action.label}
        </Button>
      )}
    </div>
  )
}
