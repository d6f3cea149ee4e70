import { useRef } from 'react'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelRun } from '../api/tag-overview.ts'
import type { FormStart } from '../components/form-start.ts'
import { HealthDoor } from '../components/health-door.tsx'
import { HealthNotes } from '../components/health-notes.tsx'
import { healthOf, labelOfHealth } from '../pixel-health.ts'
import { describeCopies } from './describe-copies.ts'
import { describeVisits } from './describe-visits.ts'
import { sumRows } from './ledger-series.ts'
import { PERIODS, useLedger } from './read-ledger.ts'

interface PixelVerdictProps {
  pixel: Pixel
  run: PixelRun | undefined
  onMend: (startsAt: FormStart) => void
}

const TONES: Readonly<Record<string, string>> = {
  broken: 'text-bad',
  tripped: 'text-bad',
  partial: 'text-warn',
}

/** How the pixel is doing, in a sentence, and what can be done about it. */
export function PixelVerdict({ pixel, run, onMend }: PixelVerdictProps) {
  const health = healthOf(pixel, run?.status)
  const { data } = useLedger(pixel.id, PERIODS[0])
  const sum = data === undefined ? null : sumRows(data.rows)
  // Visits of before the change are in the sum, and say nothing about the pixel as it is now.
  const isAfterChange = health === 'waiting' && sum !== null && sum.reached + sum.blocked + sum.failed > 0
  const copies = data === undefined ? null : describeCopies(pixel.type, data.rows)
  // No browser runs it: that none reported anything is no news.
  const isByServerOnly =
    pixel.delivery === 'server' && sum !== null && sum.reached + sum.blocked + sum.failed === 0
  const sentence = useRef<HTMLParagraphElement>(null)
  if (health === undefined) return <div className="min-h-14" />
  return (
    <section aria-label="Saúde" className="mb-6 grid grid-cols-1 gap-3">
      <div className="flex gap-3.5">
        <HealthDoor health={health} className="mt-0.5 size-8" />
        <p
          ref={sentence}
          tabIndex={-1}
          className="max-w-[44rem] text-xl/snug tracking-[-0.015em] text-pretty text-text-2 focus:outline-0"
        >
          <b className={`font-semibold ${TONES[health] ?? 'text-ink'}`}>
            {labelOfHealth(health)}
            {isAfterChange ? ' desde a última mudança' : null}.
          </b>{' '}
          {[isByServerOnly || sum === null ? null : describeVisits(sum), copies].filter(Boolean).join(' ')}
        </p>
      </div>
      <HealthNotes pixelId={pixel.id} run={run} focusAfter={sentence} onMend={onMend} />
    </section>
  )
}
