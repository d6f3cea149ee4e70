import { cn } from '#admin/lib/cn.ts'
import { formatTimestamp } from '#admin/lib/format-date.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelRun } from '../api/tag-overview.ts'
import { describeRun, type RunDescription } from '../describe-run.ts'

const TONES: Record<RunDescription['tone'], string> = {
  quiet: 'text-text-2',
  good: 'text-ok',
  warn: 'text-warn',
  bad: 'text-bad',
}

/** Under the status: whether the pixel really runs, and what a script said when it failed. */
export function RunLine({ pixel, run }: { pixel: Pixel; run: PixelRun }) {
  const { status, paused, asOf } = run
  const described = describeRun(status, { active: pixel.is_active, paused, now: asOf })
  if (described === null) return null
  const at = status.last_ran_at
  return (
    <div className={cn('text-xs/[1.35] wrap-anywhere', TONES[described.tone])}>
      <p title={at === null ? undefined : `Última vez: ${formatTimestamp(at)}`}>{described.text}</p>
      {described.original === undefined ? null : (
        <details>
          <summary className="min-h-6 cursor-pointer underline underline-offset-2">detalhes</summary>
          <code className="font-mono">{described.original}</code>
        </details>
      )}
    </div>
  )
}
