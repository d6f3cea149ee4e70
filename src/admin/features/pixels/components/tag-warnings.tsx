import { MessageBox } from '#admin/components/message-box.tsx'
import type { TagWarning } from '#contract/tag-status.ts'

export function TagWarnings({ warnings }: { warnings: readonly TagWarning[] }) {
  if (warnings.length === 0) return null
  return (
    <div className="grid gap-2" aria-live="polite">
      {warnings.map((warning) => (
        <MessageBox key={warning.message} look="warn">
          {warning.message}
        </MessageBox>
      ))}
    </div>
  )
}
