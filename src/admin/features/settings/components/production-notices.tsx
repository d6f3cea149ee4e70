import { MessageBox } from '#admin/components/message-box.tsx'
import { QuietButton } from '#admin/components/quiet-button.tsx'
import { useDismissNotices, useNotices } from '../api/notices.ts'

export function ProductionNotices() {
  const gaps = useNotices().data?.gaps ?? []
  const dismiss = useDismissNotices()
  if (gaps.length === 0) return null
  return (
    <div className="mb-4">
      <MessageBox
        look="info"
        advice={gaps.map(({ message }) => message).join(' ')}
        actions={<QuietButton onClick={dismiss}>Dispensar aviso</QuietButton>}
      >
        Para quem cuida da instalação
      </MessageBox>
    </div>
  )
}
