import { MessageBox } from '#admin/components/message-box.tsx'
import { formatTimestamp } from '#admin/lib/format-date.ts'
import { openHere } from '#admin/lib/open-here.ts'
import { LIST_PATH } from '#admin/lib/places.ts'
import { useTagOverview } from '../api/tag-overview.ts'

/** On every screen but the list, which has the switch: that no tag runs at the moment. */
export function PausedNotice() {
  const { data: paused } = useTagOverview((overview) => overview.paused)
  if (!paused) return null
  return (
    <div className="mb-4">
      <MessageBox
        look="warn"
        actions={
          <a
            href={LIST_PATH}
            onClick={(event) => openHere(event, LIST_PATH)}
            className="inline-flex min-h-11 items-center font-semibold underline underline-offset-4"
          >
            Ver a pausa na lista de pixels
          </a>
        }
      >
        Todas as tags estão pausadas: nenhuma roda no site. Quem pausou: {paused.by},{' '}
        {formatTimestamp(paused.at)}.
      </MessageBox>
    </div>
  )
}
