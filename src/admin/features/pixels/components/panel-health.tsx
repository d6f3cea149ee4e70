import { useRef } from 'react'
import { useFocusAfterRemoval } from '#admin/components/use-focus-after-removal.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelRun } from '../api/tag-overview.ts'
import { listNotes } from '../list-notes.ts'
import { healthOf } from '../pixel-health.ts'
import { HealthMark } from './health-mark.tsx'
import { PixelNote } from './pixel-note.tsx'
import { TagWarnings } from './tag-warnings.tsx'

interface PanelHealthProps {
  pixel: Pixel
  run: PixelRun | undefined
  onEditCode: () => void
}

/** How the pixel is doing, every reason with what mends it, and the warnings about its code. */
export function PanelHealth({ pixel, run, onEditCode }: PanelHealthProps) {
  const health = healthOf(pixel, run?.status)
  const notes = run ? listNotes(run.status.reasons, run.blocked) : []
  const said = new Set(run?.status.reasons.map(({ message }) => message))
  const warnings = run?.status.warnings.filter(({ message }) => !said.has(message)) ?? []
  const mark = useRef<HTMLDivElement>(null)
  useFocusAfterRemoval(notes.length, mark)
  if (health === undefined) return null
  return (
    <section aria-label="Saúde" className="grid gap-3 px-4 pb-4 sm:px-5">
      <div ref={mark} tabIndex={-1} className="focus:outline-0">
        <HealthMark health={health} run={run} />
      </div>
      {notes.length === 0 ? null : (
        <ul className="text-[0.9375rem]/[1.45]">
          {notes.map((note) => (
            <li key={note.key} className="border-t border-line py-2.5">
              <PixelNote
                note={note}
                pixelId={pixel.id}
                lastError={run?.status.last_error ?? null}
                onEditCode={onEditCode}
              />
            </li>
          ))}
        </ul>
      )}
      <TagWarnings warnings={warnings} />
    </section>
  )
}
