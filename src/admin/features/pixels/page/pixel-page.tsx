import { ChevronLeft, Pencil, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button, CopyButton, IconButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { OpenedPart } from '#admin/components/error-boundary.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { PageHeading, usePageTitle } from '#admin/components/page-heading.tsx'
import { QueryView } from '#admin/components/query-view.tsx'
import { formatMinute } from '#admin/lib/format.ts'
import { isId, Link, navigate, paths } from '#admin/lib/router.tsx'
import { ACTIVITY_ACTORS } from '#contract/activity.ts'
import { PIXEL_TYPE_LABELS, type Pixel } from '#contract/pixel.ts'
import { useDeletePixel, usePixels, useRestorePixel, useTogglePixel, useTrash } from '../api.ts'
import { HealthIcon, StatusBadge } from '../badges.tsx'
import { CodeBlock, displayedCode } from '../code.tsx'
import { DeletePixelDialog } from '../delete-pixel-dialog.tsx'
import type { FormStart } from '../form/schema.ts'
import { healthOf, labelOfHealth } from '../health.ts'
import { HealthNotes } from '../health-notes.tsx'
import { PixelHosts } from '../hosts.tsx'
import { PixelModal } from '../list/pixels-screen.tsx'
import { type PixelRun, useFreshTagOverview, usePixelRuns } from '../tag-status.ts'
import { TestButton, TestsCard } from '../test-visit/test-card.tsx'
import { PERIODS, useVisitResults } from './api.ts'
import { ConversionsCard, CostCard } from './figures.tsx'
import { HistoryCard } from './history-card.tsx'
import { SendingCard } from './sending-card.tsx'
import { VisitResultsCard } from './visit-results.tsx'
import { describeCopies, describeVisits, sumRows } from './visit-series.ts'

/** Everything that is known of one pixel. */
export function PixelPage({ pixelId }: { pixelId: string }) {
  const pixels = usePixels()
  const pixel = pixels.data?.find(({ id }) => id === pixelId)
  usePageTitle(pixel?.name ?? 'Pixel')
  return (
    <>
      <Link
        href={paths.list}
        className="-ml-1 mb-2 inline-flex min-h-11 items-center gap-1 text-[0.9375rem] text-text-2 hover:text-ink max-lg:hidden [&_svg]:size-5"
      >
        <ChevronLeft aria-hidden="true" />
        Pixels & Tags
      </Link>
      {!isId(pixelId) ? (
        <Gone />
      ) : (
        <QueryView
          query={pixels}
          failure="Não deu para carregar o pixel."
          loading={<div aria-busy="true" className="min-h-80" />}
          frame={(said) => <Card className="mb-4">{said}</Card>}
        >
          {() => (pixel ? <KnownPixel pixel={pixel} /> : <Missing pixelId={pixelId} />)}
        </QueryView>
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
            <Button look="outline" pending={restore.isPending} onClick={() => restore.mutate(deleted)}>
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
          title="Este pixel não existe"
          text="Ele foi excluído ou o endereço está incompleto. O que foi excluído há menos de trinta dias está na lixeira."
          action={
            <Button look="outline" onClick={() => navigate(paths.list)}>
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
      <PixelVerdict pixel={pixel} run={run} onFix={setForm} />
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <div className="lg:col-span-2">
          <VisitResultsCard pixel={pixel} />
        </div>
        {usesServer ? (
          <div className="lg:col-span-2">
            <SendingCard pixel={pixel} onFix={() => setForm('sending')} />
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
            navigate(paths.list)
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

interface PixelVerdictProps {
  pixel: Pixel
  run: PixelRun | undefined
  onFix: (startsAt: FormStart) => void
}

const TONES: Readonly<Record<string, string>> = {
  broken: 'text-bad',
  tripped: 'text-bad',
  partial: 'text-warn',
}

/** How the pixel is doing, in a sentence, and what can be done about it. */
function PixelVerdict({ pixel, run, onFix }: PixelVerdictProps) {
  const health = healthOf(pixel, run?.status)
  const { data } = useVisitResults(pixel.id, PERIODS[0])
  const sum = data === undefined ? null : sumRows(data.rows)
  // Visits of before the change are in the sum, and say nothing about the pixel as it is now.
  const isAfterChange = health === 'waiting' && sum !== null && sum.reached + sum.blocked + sum.failed > 0
  const copies = data === undefined ? null : describeCopies(pixel.type, data.rows)
  // No browser runs it: that none reported anything is no news.
  const isByServerOnly =
    pixel.delivery === 'server' && sum !== null && sum.reached + sum.blocked + sum.failed === 0
  const sentence = useRef<HTMLParagraphElement>(null)
  if (health === undefined) return <div className="min-h-14" />
  return (
    <section aria-label="Saúde" className="mb-6 grid grid-cols-1 gap-3">
      <div className="flex gap-3.5">
        <HealthIcon health={health} className="mt-0.5 size-8" />
        <p
          ref={sentence}
          tabIndex={-1}
          className="max-w-[44rem] text-xl/snug tracking-[-0.015em] text-pretty text-text-2 focus:outline-0"
        >
          <b className={`font-semibold ${TONES[health] ?? 'text-ink'}`}>
            {labelOfHealth(health)}
            {isAfterChange ? ' desde a última mudança' : null}.
          </b>{' '}
          {[isByServerOnly || sum === null ? null : describeVisits(sum), copies].filter(Boolean).join(' ')}
        </p>
      </div>
      <HealthNotes pixelId={pixel.id} run={run} focusAfter={sentence} onFix={onFix} />
    </section>
  )
}
