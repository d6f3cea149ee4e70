import type { RefObject } from 'react'
import { useFocusAfterRemoval } from '#admin/components/use-focus-after-removal.ts'
import type { PixelRun } from '../api/tag-overview.ts'
import { listNotes } from '../list-notes.ts'
import type { FormStart } from './form-start.ts'
import { PixelNote } from './pixel-note.tsx'
import { TagWarnings } from './tag-warnings.tsx'

interface HealthNotesProps {
  pixelId: string
  run: PixelRun | undefined
  /** Where the focus goes when the note that had it is settled. */
  focusAfter: RefObject<HTMLElement | null>
  /** Opens the form where the fault is. */
  onMend: (startsAt: FormStart) => void
}

/** Every reason with what mends it, and the warnings about the code. */
export function HealthNotes({ pixelId, run, focusAfter, onMend }: HealthNotesProps) {
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
                onMend={onMend}
              />
            </li>
          ))}
        </ul>
      )}
      <TagWarnings warnings={warnings} />
    </>
  )
}
