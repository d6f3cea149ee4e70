import { cn } from '#admin/lib/cn.ts'
import { formatTimestamp } from '#admin/lib/format-date.ts'
import type { PixelRun } from '../api/tag-overview.ts'
import { describeEvidence } from '../describe-evidence.ts'
import { type Health, labelOfHealth } from '../pixel-health.ts'
import { HealthDoor } from './health-door.tsx'

/** Only what somebody must see to has a colour of its own. */
const TONES: Partial<Record<Health, string>> = {
  broken: 'text-bad',
  partial: 'text-warn',
  off: 'font-normal text-text-2',
}

interface HealthMarkProps {
  health: Health
  /** Undefined where no visit ever reported anything. */
  run: PixelRun | undefined
}

/** How a pixel is doing, in a word, and what visits reported of it. */
export function HealthMark({ health, run }: HealthMarkProps) {
  const evidence = run && describeEvidence(run.status, health, run.asOf)
  const at = run?.status.last_ran_at ?? null
  return (
    <div className="flex min-w-0 gap-2 leading-snug">
      <HealthDoor health={health} />
      <div className="min-w-0 wrap-anywhere">
        <p className={cn('text-[0.9375rem] font-semibold', TONES[health])}>{labelOfHealth(health)}</p>
        {evidence ? (
          <p
            title={`Nas últimas 24 horas.${at === null ? '' : ` Última vez: ${formatTimestamp(at)}`}`}
            className="text-[0.8125rem] text-text-2"
          >
            {evidence}
          </p>
        ) : null}
      </div>
    </div>
  )
}
