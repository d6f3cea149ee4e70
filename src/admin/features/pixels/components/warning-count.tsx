import { TriangleAlert } from 'lucide-react'
import { formatCount } from '#admin/lib/format-count.ts'
import type { TagWarning } from '#contract/tag-status.ts'

/** In the table: that there are warnings, and the way to them. */
export function WarningCount({ warnings, onShow }: { warnings: readonly TagWarning[]; onShow: () => void }) {
  if (warnings.length === 0) return null
  return (
    <button
      type="button"
      onClick={onShow}
      title={warnings.map((warning) => warning.message).join('\n')}
      className="inline-flex min-h-7 items-center gap-1.5 text-sm font-semibold text-warn underline-offset-2 hover:underline"
    >
      <TriangleAlert className="size-4" aria-hidden="true" />
      {formatCount(warnings.length, 'aviso', 'avisos')}
    </button>
  )
}
