import { useState } from 'react'
import { MessageBox } from '#admin/components/message-box.tsx'
import { QuietButton } from '#admin/components/quiet-button.tsx'
import { useNotices } from '../api/notices.ts'
import { dismissedNotices, dismissNotices } from '../dismissed-notices.ts'

export function ProductionNotices() {
  const { data: gaps = [] } = useNotices()
  const [dismissed, setDismissed] = useState(dismissedNotices)
  const shown = gaps.filter(({ code }) => !dismissed.includes(code))
  if (shown.length === 0) return null
  const dismiss = () => setDismissed(dismissNotices(gaps.map(({ code }) => code)))
  return (
    <div className="mb-4">
      <MessageBox
        look="info"
        advice={shown.map(({ message }) => message).join(' ')}
        actions={<QuietButton onClick={dismiss}>Dispensar aviso</QuietButton>}
      >
        Para quem cuida da instalação
      </MessageBox>
    </div>
  )
}
