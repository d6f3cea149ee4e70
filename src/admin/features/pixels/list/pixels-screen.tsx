import { Plus } from 'lucide-react'
import { type ReactNode, useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { lazyPart, loadWhenIdle, OpenedPart } from '#admin/components/error-boundary.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { PageHeading, useFocusAfterRemoval } from '#admin/components/page-heading.tsx'
import { QueryView } from '#admin/components/query-view.tsx'
import { toggleParameter, useParameter } from '#admin/lib/router.tsx'
import type { Pixel } from '#contract/pixel.ts'
import { type ListedPixel, useDeletePixel, useOpenPixel, usePixels, usePixelsByCode } from '../api.ts'
import type { FormStart } from '../form/schema.ts'
import { healthOf } from '../health.ts'
import { type PixelRuns, useFreshTagOverview, usePixelRuns } from '../tag-status.ts'
import {
  BlockedHosts,
  ContainerNotice,
  HealthNotice,
  PauseSwitch,
  PolicyNotice,
  SharedOriginNotice,
} from './notices.tsx'
import { focusCodeButton, type PixelActions, PixelSkeleton, PixelTable } from './pixel-table.tsx'
import { filterPixels, NO_FILTER, type PixelFilter, PixelToolbar, usePixelFilter } from './pixel-toolbar.tsx'

interface OpenForm {
  /** Null adds one. */
  pixel: Pixel | null
  startsAt: FormStart
}

/** What a part above or below the list may know of it. */
export interface ListFacts {
  /** Undefined until the list has loaded. */
  pixels: readonly ListedPixel[] | undefined
  onAdd: () => void
}

interface PixelsScreenProps {
  /** Between heading and list; it delays neither. */
  aboveList?: (list: ListFacts) => ReactNode
  belowList?: (list: ListFacts) => ReactNode
}

export function PixelsScreen({ aboveList, belowList }: PixelsScreenProps) {
  const pixels = usePixels()
  const [form, setForm] = useState<OpenForm | null>(null)
  useEffect(() => {
    if (!pixels.isPending) loadWhenIdle(LAZY_PARTS)
  }, [pixels.isPending])
  const { open, openingId } = useOpenPixel((pixel, startsAt: FormStart) =>
    // A form that was opened meanwhile stays.
    setForm((opened) => opened ?? { pixel, startsAt }),
  )
  const edit = useCallback<PixelActions['onEdit']>(
    (pixel, startsAt = 'name') => open(pixel, startsAt),
    [open],
  )
  const add = () => setForm({ pixel: null, startsAt: 'name' })
  const addButton = (className?: string) => (
    <Button onClick={add} className={className}>
      <Plus aria-hidden="true" />
      Adicionar Pixel
    </Button>
  )
  return (
    <>
      <PageHeading
        title="Gerenciar Pixels e Tags"
        subtitle="Configure pixels do Meta, Google Analytics e tags personalizadas"
        // On a phone, the first steps and the empty list offer it too, one below the other.
        action={addButton(pixels.data?.length === 0 ? 'max-md:hidden' : undefined)}
      />
      {aboveList?.({ pixels: pixels.data, onAdd: add })}
      <QueryView
        query={pixels}
        failure="Não foi possível carregar os pixels."
        loading={<PixelSkeleton />}
        frame={(said) => (
          <Card className="mb-4">
            {pixels.data === undefined ? <PauseSwitch /> : null}
            {said}
          </Card>
        )}
      >
        {(data) => <PixelList pixels={data} onEdit={edit} openingId={openingId} addButton={addButton()} />}
      </QueryView>
      {belowList?.({ pixels: pixels.data, onAdd: add })}
      {form === null ? null : (
        <OpenedPart onClose={() => setForm(null)}>
          <PixelModal {...form} onClose={() => setForm(null)} />
        </OpenedPart>
      )}
    </>
  )
}

/** The "problems" filter is on, no other filter is, and health has loaded. */
function isAllWell({ health, ...rest }: PixelFilter, { isKnown }: PixelRuns): boolean {
  const { health: _health, ...none } = NO_FILTER
  return health === 'problems' && isKnown && JSON.stringify(rest) === JSON.stringify(none)
}

const NO_RUNS: Pick<PixelRuns, 'runOf'> = { runOf: () => undefined }

interface PixelListProps {
  pixels: ListedPixel[]
  onEdit: PixelActions['onEdit']
  openingId: string | null
  addButton: ReactNode
}

function PixelList({ pixels, onEdit, openingId, addButton }: PixelListProps) {
  const [filter, setFilter] = usePixelFilter()
  const [shownCodeId, setShownCodeId] = useParameter('codigo')
  const [pixelToDelete, setPixelToDelete] = useState<ListedPixel | null>(null)
  const remove = useDeletePixel()
  useFocusAfterRemoval(pixels.length)
  useFreshTagOverview(pixels)
  const applied = useDeferredValue(filter)
  const runs = usePixelRuns()
  // Without a filter of health, news of it is no reason to go through the list.
  const { runOf } = applied.health === 'all' ? NO_RUNS : runs
  const byCode = usePixelsByCode(applied.search)
  const found = useMemo(
    () =>
      filterPixels(pixels, applied, {
        healthOf: (pixel) => healthOf(pixel, runOf(pixel.id)?.status),
        byCode,
      }),
    [pixels, applied, runOf, byCode],
  )
  const actions = useMemo(
    () => ({
      onShowCode: (id: string) => toggleParameter('codigo', id),
      onEdit,
      onDelete: setPixelToDelete,
    }),
    [onEdit],
  )
  const shown = pixels.find((pixel) => pixel.id === shownCodeId)
  const closeCode = (id: string) => {
    // Before the panel and its focused button are removed.
    focusCodeButton(id)
    setShownCodeId(null)
  }

  if (pixels.length === 0) {
    return (
      <Card>
        <PauseSwitch />
        <PixelsEmpty action={addButton} />
      </Card>
    )
  }
  return (
    <>
      <Card>
        <PauseSwitch />
        <HealthNotice />
        <PixelToolbar pixels={pixels} runs={runs} found={found.length} filter={filter} onFilter={setFilter} />
        {found.length === 0 && isAllWell(applied, runs) ? (
          <EmptyState
            title="Nenhum problema agora"
            text="Não encontramos problemas nos pixels ativos nas visitas das últimas 24 horas."
            action={
              <Button look="outline" onClick={() => setFilter(NO_FILTER)}>
                Ver todos os pixels
              </Button>
            }
          />
        ) : found.length === 0 ? (
          <EmptyState
            title="Nenhum pixel encontrado"
            text="Tente outra busca ou remova os filtros."
            action={
              <Button look="outline" onClick={() => setFilter(NO_FILTER)}>
                Limpar busca e filtros
              </Button>
            }
          />
        ) : (
          <PixelTable
            pixels={found}
            runs={runs}
            shownCodeId={shownCodeId}
            openingId={openingId}
            actions={actions}
          />
        )}
      </Card>
      {shown ? (
        <OpenedPart key={shown.id} onClose={() => closeCode(shown.id)}>
          <CodePanel
            pixel={shown}
            run={runs.runOf(shown.id)}
            onFix={(startsAt) => onEdit(shown, startsAt)}
            onClose={() => closeCode(shown.id)}
          />
        </OpenedPart>
      ) : null}
      <BlockedHosts pixels={pixels} />
      <PolicyNotice />
      <ContainerNotice />
      <SharedOriginNotice pixels={pixels} />
      {pixelToDelete ? (
        <OpenedPart onClose={() => setPixelToDelete(null)}>
          <DeletePixelDialog
            name={pixelToDelete.name}
            onCancel={() => setPixelToDelete(null)}
            onConfirm={() => {
              remove.mutate(pixelToDelete)
              setPixelToDelete(null)
            }}
          />
        </OpenedPart>
      ) : null}
    </>
  )
}

/** Opened by a click; loaded after the list. */
export const PixelModal = lazyPart(async () => (await import('../form/pixel-form.tsx')).PixelModal)
const DeletePixelDialog = lazyPart(async () => (await import('../delete-pixel-dialog.tsx')).DeletePixelDialog)
const CodePanel = lazyPart(async () => (await import('./code-panel.tsx')).CodePanel)
const LAZY_PARTS = [PixelModal, DeletePixelDialog, CodePanel]

function PixelsEmpty({ action }: { action: ReactNode }) {
  return (
    <EmptyState
      picture={<ArchWithCode />}
      title="Nenhum pixel configurado"
      text="Adicione seu primeiro pixel para começar o rastreamento"
      lesson="Um pixel mostra à Meta ou ao Google quais campanhas trazem clientes. Ele só funciona depois que a pessoa aceita os cookies."
      action={action}
    />
  )
}

function ArchWithCode() {
  return (
    <svg width="168" height="132" fill="none" strokeWidth="1.5" aria-hidden="true">
      <path className="stroke-line" d="M30 132V70a54 54 0 0 1 108 0v62" />
      <path className="fill-[#f0f1ea]" d="M44 132V70a40 40 0 0 1 80 0v62z" />
      <path className="stroke-ink" d="M0 131h168" />
      <path className="stroke-line-2" d="M0 88h168" strokeDasharray="4 5" />
      <rect
        className="fill-surface stroke-ink"
        x="52"
        y="70"
        width="64"
        height="36"
        rx="9"
        strokeDasharray="4 4"
      />
      <path
        className="stroke-ink"
        d="m76 82-6 6 6 6m16-12 6 6-6 6m-5-14-6 16"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
