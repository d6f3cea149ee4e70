import { ChevronLeft, Pencil, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button, CopyButton, IconButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { OpenedPart } from '#admin/components/error-boundary.tsx'
import { HelpLink } from '#admin/components/help-link.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { NotFound, PageHeading, usePageTitle } from '#admin/components/page-heading.tsx'
import { QueryView } from '#admin/components/query-view.tsx'
import { formatMinute } from '#admin/lib/format.ts'
import { asLeft, isId, Link, navigate, paths } from '#admin/lib/router.tsx'
import { ACTIVITY_ACTORS } from '#contract/activity.ts'
import { PIXEL_TYPE_LABELS, type Pixel } from '#contract/pixel.ts'
import type { DeletedPixel } from '#contract/pixel-history.ts'
import { useDeletePixel, useListedName, usePixel, useRestorePixel, useTogglePixel, useTrash } from '../api.ts'
import { HealthIcon, StatusBadge } from '../badges.tsx'
import { CodeBlock, displayedCode } from '../code.tsx'
import { DeletePixelDialog } from '../delete-pixel-dialog.tsx'
import { useVendorOf } from '../destinations.ts'
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
  const pixel = usePixel(pixelId)
  const listed = useListedName(pixelId)
  const [list] = useState(() => asLeft(paths.list))
  const [form, setForm] = useState<FormStart | null>(null)
  const name = pixel.data?.name ?? listed ?? 'Pixel'
  usePageTitle(name)
  const isNone = !isId(pixelId)
  return (
    <>
      <Link
        href={list}
        className="-ml-1 mb-2 inline-flex min-h-11 items-center gap-1 text-[0.9375rem] text-text-2 hover:text-ink max-lg:hidden [&_svg]:size-5"
      >
        <ChevronLeft aria-hidden="true" />
        Pixels & Tags
      </Link>
      {isNone || pixel.data === null ? (
        isNone ? (
          <Gone />
        ) : (
          <Missing pixelId={pixelId} />
        )
      ) : (
        <>
          {/* There before the pixel is: it takes the focus of whoever comes from the list. */}
          <PageHeading
            title={name}
            {...(pixel.data && {
              subtitle: describe(pixel.data),
              action: <PixelActions pixel={pixel.data} list={list} onEdit={() => setForm('name')} />,
            })}
          />
          <QueryView
            query={pixel}
            failure="Não foi possível carregar o pixel."
            loading={<div aria-busy="true" className="min-h-80" />}
            frame={(said) => <Card className="mb-4">{said}</Card>}
          >
            {(data) => data && <KnownPixel pixel={data} onFix={setForm} />}
          </QueryView>
          {form !== null && pixel.data ? (
            <OpenedPart onClose={() => setForm(null)}>
              <PixelModal pixel={pixel.data} startsAt={form} onClose={() => setForm(null)} />
            </OpenedPart>
          ) : null}
        </>
      )}
    </>
  )
}

/** In the trash, or nowhere. */
function Missing({ pixelId }: { pixelId: string }) {
  const trash = useTrash()
  return (
    <QueryView
      query={trash}
      failure="Não foi possível buscar o pixel na lixeira."
      loading={<div aria-busy="true" className="min-h-80" />}
      frame={(said) => (
        <>
          <PageHeading title="Pixel" />
          <Card>{said}</Card>
        </>
      )}
    >
      {({ pixels }) => {
        const deleted = pixels.find(({ id }) => id === pixelId)
        return deleted === undefined ? <Gone /> : <Deleted pixel={deleted} />
      }}
    </QueryView>
  )
}

function Deleted({ pixel }: { pixel: DeletedPixel }) {
  const restore = useRestorePixel()
  const by = ACTIVITY_ACTORS[pixel.deleted_by] ?? pixel.deleted_by
  return (
    <>
      <PageHeading title={pixel.name} />
      <Card>
        <EmptyState
          title="Este pixel está na lixeira"
          text={`${pixel.name} foi excluído em ${formatMinute(pixel.deleted_at)} por ${by}. Fica na lixeira até ${formatMinute(pixel.kept_until)}.`}
          action={
            <Button look="outline" pending={restore.isPending} onClick={() => restore.mutate(pixel)}>
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
    <NotFound
      heading="Pixel não encontrado"
      title="Este pixel não existe"
      text="Ele foi excluído ou o link está incompleto. Pixels excluídos ficam 30 dias na Lixeira."
    />
  )
}

interface PixelActionsProps {
  pixel: Pixel
  /** Where a deletion leads. */
  list: string
  onEdit: () => void
}

function PixelActions({ pixel, list, onEdit }: PixelActionsProps) {
  const toggle = useTogglePixel(pixel)
  const remove = useDeletePixel()
  const [isAsking, setAsking] = useState(false)
  return (
    <div className="flex items-center">
      <TestButton pixel={pixel} look="outline" className="mr-3">
        Testar agora
      </TestButton>
      <StatusBadge
        active={pixel.is_active}
        name={pixel.name}
        onToggle={() => toggle.mutate(!pixel.is_active)}
      />
      <IconButton label={`Editar: ${pixel.name}`} onClick={onEdit}>
        <Pencil aria-hidden="true" />
      </IconButton>
      <IconButton label={`Excluir: ${pixel.name}`} danger onClick={() => setAsking(true)}>
        <Trash2 aria-hidden="true" />
      </IconButton>
      {isAsking ? (
        <DeletePixelDialog
          name={pixel.name}
          onCancel={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false)
            remove.mutate(pixel)
            navigate(list)
          }}
        />
      ) : null}
    </div>
  )
}

interface KnownPixelProps {
  pixel: Pixel
  onFix: (startsAt: FormStart) => void
}

function KnownPixel({ pixel, onFix }: KnownPixelProps) {
  const { runOf } = usePixelRuns()
  useFreshTagOverview([pixel])
  const run = runOf(pixel.id)
  const code = displayedCode(pixel)
  const runsCode = pixel.delivery !== 'server'
  const usesServer = pixel.delivery !== 'browser' || pixel.has_access_token
  return (
    <>
      <PixelVerdict pixel={pixel} run={run} onFix={onFix} />
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <div className="lg:col-span-2">
          <VisitResultsCard pixel={pixel} />
        </div>
        {usesServer ? (
          <div className="lg:col-span-2">
            <SendingCard pixel={pixel} onFix={() => onFix('sending')} />
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
                  Com o envio pelo servidor, o código fica salvo, mas não roda na página.
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
    </>
  )
}

function describe({ type, pixel_id, delivery, runs_in }: Pixel): string {
  const isIsolated = runs_in === 'isolated' && delivery !== 'server'
  const facts = [PIXEL_TYPE_LABELS[type], pixel_id ?? 'Código personalizado']
  return [...facts, ...(isIsolated ? ['Isolada da página'] : [])].join(' · ')
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

/** Health in a sentence, and what to do. */
function PixelVerdict({ pixel, run, onFix }: PixelVerdictProps) {
  const health = healthOf(pixel, run?.status)
  const vendor = useVendorOf(pixel)
  const { data } = useVisitResults(pixel.id, PERIODS[0])
  const sum = data === undefined ? null : sumRows(data.rows)
  // Visits from before the change are in the sum, but say nothing about the current pixel.
  const isAfterChange = health === 'waiting' && sum !== null && sum.reached + sum.blocked + sum.failed > 0
  const copies = data === undefined ? null : describeCopies(pixel.type, data.rows, vendor)
  // No browser runs it: missing reports mean nothing.
  const isByServerOnly =
    pixel.delivery === 'server' && sum !== null && sum.reached + sum.blocked + sum.failed === 0
  const sentence = useRef<HTMLParagraphElement>(null)
  if (health === undefined) return <div className="min-h-14" />
  return (
    <section aria-label="Funcionamento do pixel" className="mb-6 grid grid-cols-1 gap-3">
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
        <HelpLink topic="funcionamento" />
      </div>
      <HealthNotes pixelId={pixel.id} run={run} focusAfter={sentence} onFix={onFix} />
    </section>
  )
}
