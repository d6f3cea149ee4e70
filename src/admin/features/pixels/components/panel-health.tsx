import { useRef } from 'react'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelRun } from '../api/tag-overview.ts'
import { healthOf } from '../pixel-health.ts'
import type { FormStart } from './form-start.ts'
import { HealthMark } from './health-mark.tsx'
import { HealthNotes } from './health-notes.tsx'

interface PanelHealthProps {
  pixel: Pixel
  run: PixelRun | undefined
  onMend: (startsAt: FormStart) => void
}

/** How the pixel is doing, every reason with what mends it, and the warnings about its code. */
export function PanelHealth({ pixel, run, onMend }: PanelHealthProps) {
  const health = healthOf(pixel, run?.status)
  const mark = useRef<HTMLDivElement>(null)
  if (health === undefined) return null
  return (
    <section aria-label="Saúde" className="grid gap-3 px-4 pb-4 sm:px-5">
      <div ref={mark} tabIndex={-1} className="focus:outline-0">
        <HealthMark health={health} run={run} />
      </div>
      <HealthNotes pixelId={pixel.id} run={run} focusAfter={mark} onMend={onMend} />
    </section>
  )
}
