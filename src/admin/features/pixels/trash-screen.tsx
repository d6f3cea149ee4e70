import { Undo2 } from 'lucide-react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { PageHeading, useFocusAfterRemoval } from '#admin/components/page-heading.tsx'
import { LoadingLines, QueryView } from '#admin/components/query-view.tsx'
import { formatAgo, formatMinute } from '#admin/lib/format.ts'
import { DAY_MS } from '#contract/durations.ts'
import { formatCount } from '#contract/format-count.ts'
import { PIXEL_TYPE_LABELS } from '#contract/pixel.ts'
import { type DeletedPixel, TRASH_DAYS, type Trash } from '#contract/pixel-history.ts'
import { useRestorePixel, useTrash } from './api.ts'
import { TypeGlyph } from './badges.tsx'

/** Actors that are no person. */
const ACTORS: Readonly<Record<string, string>> = {
  'service key': 'um sistema integrado (chave de serviço)',
  'command line': 'alguém com acesso ao servidor',
}

/** Deleted pixels, with restore. */
export function TrashScreen() {
  const trash = useTrash()
  return (
    <>
      <PageHeading
        title="Lixeira"
        subtitle="Pixels excluídos ficam aqui por 30 dias. Ao restaurar, eles voltam com código, domínios, histórico e números."
      />
      <Card aria-busy={trash.isPending}>
        <QueryView
          query={trash}
          failure="Não foi possível carregar a lixeira."
          loading={<LoadingLines label="Carregando a lixeira" />}
        >
          {(data) => <TrashList trash={data} />}
        </QueryView>
      </Card>
    </>
  )
}

function TrashList({ trash: { pixels, total } }: { trash: Trash }) {
  const restore = useRestorePixel()
  useFocusAfterRemoval(pixels.length)
  if (pixels.length === 0)
    return (
      <EmptyState
        title="A lixeira está vazia"
        text="Os pixels que você excluir ficam aqui por 30 dias e podem ser restaurados."
      />
    )
  const hidden = total - pixels.length
  return (
    <>
      <ul>
        {pixels.map((pixel) => (
          <TrashItem
            key={pixel.id}
            pixel={pixel}
            isRestoring={restore.isPending && restore.variables?.id === pixel.id}
            onRestore={() => restore.mutate(pixel)}
          />
        ))}
      </ul>
      {hidden > 0 ? (
        <p className="border-t border-line px-5 py-3 text-sm text-text-2">
          {`Mais ${formatCount(hidden, 'pixel antigo não aparece', 'pixels antigos não aparecem')} nesta lista.`}
        </p>
      ) : null}
    </>
  )
}

interface TrashItemProps {
  pixel: DeletedPixel
  isRestoring: boolean
  onRestore: () => void
}

function TrashItem({ pixel, isRestoring, onRestore }: TrashItemProps) {
  const days = Math.max(0, Math.ceil((Date.parse(pixel.kept_until) - Date.now()) / DAY_MS))
  return (
    <li className="flex flex-wrap items-center gap-x-5 gap-y-3 border-t border-line px-4 py-4 first:border-t-0 sm:px-5">
      <TypeGlyph type={pixel.type} active={false} />
      <div className="min-w-0 flex-[1_1_14rem] wrap-anywhere">
        <h3 className="text-base tracking-normal">{pixel.name}</h3>
        <p className="text-sm text-text-2">
          {PIXEL_TYPE_LABELS[pixel.type]}
          {pixel.pixel_id === null ? null : (
            <>
              {' · '}
              <span className="font-mono text-[0.8125rem]">{pixel.pixel_id}</span>
            </>
          )}
        </p>
        <p className="text-sm text-text-2">
          Excluído por {ACTORS[pixel.deleted_by] ?? pixel.deleted_by}{' '}
          <time dateTime={pixel.deleted_at} title={formatMinute(pixel.deleted_at)}>
            {formatAgo(pixel.deleted_at, Date.now())}
          </time>
          . Ao restaurar, volta como {pixel.was_active ? 'ativo' : 'inativo'}.
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-3 max-sm:w-full max-sm:justify-between">
        <div className="w-32 text-sm text-text-2">
          <div
            aria-hidden="true"
            className="mb-1 h-1.5 overflow-hidden rounded-full bg-[#e6e8df] forced-color-adjust-none"
          >
            <div
              className="h-full rounded-full bg-ink"
              style={{ width: `${Math.min(100, (days / TRASH_DAYS) * 100)}%` }}
            />
          </div>
          {days === 0
            ? 'último dia'
            : `${days === 1 ? 'resta' : 'restam'} ${formatCount(days, 'dia', 'dias')}`}
        </div>
        <Button
          look="outline"
          aria-label={`Restaurar: ${pixel.name}`}
          pending={isRestoring}
          onClick={onRestore}
        >
          <Undo2 aria-hidden="true" />
          Restaurar
        </Button>
      </div>
    </li>
  )
}
