import { TriangleAlert } from 'lucide-react'
import { formatCount } from '#contract/format-count.ts'
import type { PixelStatus } from '#contract/tag-status.ts'

interface WarningCountProps {
  status: Pick<PixelStatus, 'warnings' | 'reasons'>
  onShow: () => void
}

/** In the table: that there are warnings beside what the row already says, and the way to them. */
export function WarningCount({ status: { warnings: all, reasons }, onShow }: WarningCountProps) {
  const warnings = all.filter(({ code }) => !reasons.some((reason) => reason.code === code))
  if (warnings.length === 0) return null
  return (
    <button
      type="button"
      onClick={onShow}
      title={warnings.map((warning) => warning.message).join('\n')}
      className="relative inline-flex min-h-7 items-center after:absolute after:-inset-y-2 after:inset-x-0 gap-1.5 text-sm font-semibold text-warn underline-offset-2 hover:underline forced-colors:not-focus-visible:outline-none forced-colors:underline"
    >
      <TriangleAlert className="size-4" aria-hidden="true" />
      {formatCount(warnings.length, 'aviso', 'avisos')}
    </button>
  )
}
