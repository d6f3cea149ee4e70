import { Button } from '#admin/components/button.tsx'
import { MessageBox } from '#admin/components/message-box.tsx'
import { formatMinute } from '#admin/lib/format-date.ts'
import { useTagOverview } from '../api/tag-overview.ts'

/** When nobody can say how the pixels are doing, or only how they were. */
export function HealthNotice() {
  const { data, isError, dataUpdatedAt, refetch } = useTagOverview((overview) => overview.paused)
  if (!isError) return null
  const isOld = data !== undefined
  return (
    <div className="border-b border-line px-3 py-2.5">
      <MessageBox
        look="info"
        actions={
          <Button look="outline" onClick={() => void refetch()}>
            Perguntar de novo
          </Button>
        }
      >
        {isOld
          ? `O servidor não respondeu: a saúde dos pixels é a de ${formatMinute(new Date(dataUpdatedAt).toISOString())}.`
          : 'Não deu para saber como os pixels estão no site.'}
      </MessageBox>
    </div>
  )
}
