import { ChevronLeft, Pencil, Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { CopyButton } from '#admin/components/copy-button.tsx'
import { EmptyState } from '#admin/components/empty-state.tsx'
import { IconButton } from '#admin/components/icon-button.tsx'
import { LoadFailure } from '#admin/components/load-failure.tsx'
import { OpenedPart } from '#admin/components/opened-part.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { navigate } from '#admin/lib/address.ts'
import { formatMinute } from '#admin/lib/format-date.ts'
import { openHere } from '#admin/lib/open-here.ts'
import { LIST_PATH } from '#admin/lib/places.ts'
import { useServices } from '#admin/lib/services.tsx'
import { ACTIVITY_ACTORS } from '#contract/activity.ts'
import { PIXEL_TYPE_LABELS, type Pixel } from '#contract/pixel.ts'
import { useDeletePixel } from '../api/delete-pixel.ts'
import { usePixels } from '../api/list-pixels.ts'
import { useRestorePixel } from '../api/restore-pixel.ts'
import { useFreshTagOverview, usePixelRuns } from '../api/tag-overview.ts'
import { useTogglePixel } from '../api/toggle-pixel.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { DeletePixelDialog } from '../components/delete-pixel-dialog.tsx'
import type { FormStart } from '../components/form-start.ts'
import { PixelModal } from '../components/lazy-pixel-parts.ts'
import { PixelHosts } from '../components/pixel-hosts.tsx'
import { StatusBadge } from '../components/status-badge.tsx'
import { displayedCode } from '../displayed-code.ts'
import { TestButton } from '../testing/test-button.tsx'
import { TestsCard } from '../testing/tests-card.tsx'
import { useTrash } from '../trash/read-trash.ts'
import { ConversionsCard } from './conversions-card.tsx'
import { CostCard } from './cost-card.tsx'
import { HistoryCard } from './history-card.tsx'
import { LedgerCard } from './ledger-card.tsx'
import { PixelVerdict } from './pixel-verdict.tsx'
import { SendingCard } from './sending-card.tsx'

/** Everything that is known of one pixel. */
export function PixelPage({ pixelId }: { pixelId: string }) {
  const { data, isError, error, refetch } = usePixels()
  const { boot } = useServices()
  const pixel = data?.find(({ id }) => id === pixelId)
  const title = pixel?.name ?? 'Pixel'
  useEffect(() => {
    document.title = `${title} · Admin Dashboard ${boot.brandName}`
  }, [title, boot.brandName])
  // Opened from the middle of a long list, it is read from its beginning.
  useEffect(() => {
    // In braces: browsers have begun to return a promise from this, and an effect must not.
    scrollTo(0, 0)
  }, [])
  return (
    <>
      <a
        href={LIST_PATH}
        onClick={(event) => openHere(event, LIST_PATH)}
        className="-ml-1 mb-2 inline-flex min-h-11 items-center gap-1 text-[0.9375rem] text-text-2 hover:text-ink max-lg:hidden [&_svg]:size-5"
      >
        <ChevronLeft aria-hidden="true" />
        Pixels & Tags
      </a>
      {pixel ? (
        <KnownPixel pixel={pixel} />
      ) : isError && data === undefined ? (
        <Card>
          <LoadFailure
            error={error}
            fallback="Não deu para carregar o pixel."
            onRetry={() => void refetch()}
          />
        </Card>
      ) : data === undefined ? (
        <div aria-busy="true" className="min-h-80" />
      ) : (
        <Missing pixelId={pixelId} />
      )}
    </>
  )
}

/** In the trash, or nowhere. */
function Missing({ pixelId }: { pixelId: string }) {
  const trash = useTrash()
  const restore = useRestorePixel()
  if (trash.isPending) return <div aria-busy="true" className="min-h-80" />
  const deleted = trash.data?.pixels.find(({ id }) => id === pixelId)
  if (deleted === undefined) return <Gone />
  const by = ACTIVITY_ACTORS[deleted.deleted_by] ?? deleted.deleted_by
  return (
    <>
      <PageHeading title={deleted.name} />
      <Card>
        <EmptyState
          title="Este pixel está na lixeira"
          text={`${deleted.name} foi excluído em ${formatMinute(deleted.deleted_at)} por ${by}. Fica na lixeira até ${formatMinute(deleted.kept_until)}.`}
          action={
            <Button
              look="outline"
              aria-disabled={restore.isPending}
              onClick={() => restore.isPending || restore.mutate(deleted)}
            >
              Restaurar
            </Button>
          }
        />
      </Card>
    </>
  )
}

function Gone() {
  return (
    <>
      <PageHeading title="Pixel não encontrado" />
      <Card>
        <EmptyState
          title="Este pixel não existe mais"
          text="Ele foi excluído, ou o endereço está incompleto. O que foi excluído há menos de trinta dias está na lixeira."
          action={
            <Button look="outline" onClick={() => navigate(LIST_PATH)}>
              Ver todos os pixels
            </Button>
          }
        />
      </Card>
    </>
  )
}

function KnownPixel({ pixel }: { pixel: Pixel }) {
  const { runOf } = usePixelRuns()
  useFreshTagOverview([pixel])
  const toggle = useTogglePixel(pixel)
  const remove = useDeletePixel()
  const [form, setForm] = useState<FormStart | null>(null)
  const [isAsking, setAsking] = useState(false)
  const run = runOf(pixel.id)
  const code = displayedCode(pixel)
  const runsCode = pixel.delivery !== 'server'
  const usesServer = pixel.delivery !== 'browser' || pixel.has_access_token
  return (
    <>
      <PageHeading
        title={pixel.name}
        subtitle={describe(pixel)}
        action={
          <div className="flex items-center">
            <TestButton pixel={pixel} look="outline" className="mr-3">
              Testar agora
            </TestButton>
            <StatusBadge
              active={pixel.is_active}
              name={pixel.name}
              onToggle={() => toggle.mutate(!pixel.is_active)}
            />
            <IconButton label={`Editar: ${pixel.name}`} onClick={() => setForm('name')}>
              <Pencil aria-hidden="true" />
            </IconButton>
            <IconButton label={`Excluir: ${pixel.name}`} danger onClick={() => setAsking(true)}>
              <Trash2 aria-hidden="true" />
            </IconButton>
          </div>
        }
      />
      <PixelVerdict pixel={pixel} run={run} onMend={setForm} />
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <div className="lg:col-span-2">
          <LedgerCard pixel={pixel} />
        </div>
        {usesServer ? (
          <div className="lg:col-span-2">
            <SendingCard pixel={pixel} onMend={() => setForm('sending')} />
          </div>
        ) : null}
        {runsCode ? (
          <>
            <ConversionsCard pixelId={pixel.id} />
            <Card>
              <PixelHosts pixel={pixel} heading="h3" />
            </Card>
            <div className="lg:col-span-2">
              <CostCard pixelId={pixel.id} />
            </div>
          </>
        ) : null}
        <div className="lg:col-span-2">
          <TestsCard pixelId={pixel.id} />
        </div>
        <Card role="region" aria-labelledby="code-heading" className="lg:col-span-2">
          <header className="flex flex-wrap items-center gap-2 py-2.5 pr-3 pl-4 sm:pl-5">
            <h3 id="code-heading" className="min-w-0 flex-1 text-base tracking-tight">
              Código
              {runsCode ? null : (
                <span className="block pt-0.5 text-sm font-normal tracking-normal text-pretty text-text-2">
                  Com o envio pelo servidor, fica guardado e não roda na página.
                </span>
              )}
            </h3>
            <CopyButton text={code} />
          </header>
          <CodeBlock code={code} className="mx-2 mb-2" />
        </Card>
        <div className="lg:col-span-2">
          <HistoryCard pixel={pixel} />
        </div>
      </div>
      {form === null ? null : (
        <OpenedPart onClose={() => setForm(null)}>
          <PixelModal pixel={pixel} startsAt={form} onClose={() => setForm(null)} />
        </OpenedPart>
      )}
      {isAsking ? (
        <DeletePixelDialog
          name={pixel.name}
          onCancel={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false)
            remove.mutate(pixel)
            navigate(LIST_PATH)
          }}
        />
      ) : null}
    </>
  )
}

function describe({ type, pixel_id, delivery, runs_in }: Pixel): string {
  const isIsolated = runs_in === 'isolated' && delivery !== 'server'
  const facts = [PIXEL_TYPE_LABELS[type], pixel_id ?? 'Código personalizado']
  return [...facts, ...(isIsolated ? ['Roda isolada da página'] : [])].join(' · ')
}
