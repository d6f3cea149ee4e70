import { Plus } from 'lucide-react'
import { type ReactNode, useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { EmptyState } from '#admin/components/empty-state.tsx'
import { LoadFailure } from '#admin/components/load-failure.tsx'
import { OpenedPart } from '#admin/components/opened-part.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { useFocusAfterRemoval } from '#admin/components/use-focus-after-removal.ts'
import type { Pixel } from '#contract/pixel.ts'
import { useDeletePixel } from '../api/delete-pixel.ts'
import { usePixels } from '../api/list-pixels.ts'
import { type PixelRuns, useFreshTagOverview, usePixelRuns } from '../api/tag-overview.ts'
import { filterPixels, NO_FILTER, type PixelFilter } from '../filter-pixels.ts'
import { healthOf } from '../pixel-health.ts'
import { BlockedHosts } from './blocked-hosts.tsx'
import { ContainerNotice } from './container-notice.tsx'
import type { FormStart } from './form-start.ts'
import { HealthNotice } from './health-notice.tsx'
import { CodePanel, DeletePixelDialog, loadPixelPartsWhenIdle, PixelModal } from './lazy-pixel-parts.ts'
import { PauseSwitch } from './pause-switch.tsx'
import { focusCodeButton, type PixelActions } from './pixel-cells.tsx'
import { PixelSkeleton } from './pixel-skeleton.tsx'
import { PixelTable } from './pixel-table.tsx'
import { PixelToolbar } from './pixel-toolbar.tsx'
import { PixelsEmpty } from './pixels-empty.tsx'
import { PolicyNotice } from './policy-notice.tsx'
import { SharedOriginNotice } from './shared-origin-notice.tsx'

interface OpenForm {
  /** Null adds one. */
  pixel: Pixel | null
  startsAt: FormStart
}

interface PixelsScreenProps {
  /** How the list is filtered at first. */
  onlyProblems?: boolean
  /** Between the heading and the list; it delays neither. */
  aboveList?: ReactNode
}

export function PixelsScreen({ onlyProblems = false, aboveList }: PixelsScreenProps) {
  const pixels = usePixels()
  const [form, setForm] = useState<OpenForm | null>(null)
  useEffect(loadPixelPartsWhenIdle, [])
  const edit = useCallback<PixelActions['onEdit']>(
    (pixel, startsAt = 'name') => setForm({ pixel, startsAt }),
    [],
  )
  const addButton = (
    <Button onClick={() => setForm({ pixel: null, startsAt: 'name' })}>
      <Plus aria-hidden="true" />
      Adicionar Pixel
    </Button>
  )
  return (
    <>
      <PageHeading
        title="Gerenciar Pixels e Tags"
        subtitle="Configure pixels do Meta, Google Analytics e tags personalizadas"
        action={addButton}
      />
      {aboveList}
      {pixels.data ? (
        <PixelList pixels={pixels.data} onlyProblems={onlyProblems} onEdit={edit} addButton={addButton} />
      ) : pixels.isError ? (
        <Card>
          <PauseSwitch />
          <LoadFailure
            error={pixels.error}
            fallback="Não deu para carregar os pixels."
            onRetry={() => pixels.refetch()}
          />
        </Card>
      ) : (
        <PixelSkeleton />
      )}
      {form === null ? null : (
        <OpenedPart onClose={() => setForm(null)}>
          <PixelModal {...form} onClose={() => setForm(null)} />
        </OpenedPart>
      )}
    </>
  )
}

/** Only problems were asked for, nothing else keeps a pixel from the list, and it is known how they are doing. */
function isAllWell({ health, ...rest }: PixelFilter, { isKnown }: PixelRuns): boolean {
  const { health: _health, ...none } = NO_FILTER
  return health === 'problems' && isKnown && JSON.stringify(rest) === JSON.stringify(none)
}

const NO_RUNS: Pick<PixelRuns, 'runOf'> = { runOf: () => undefined }

interface PixelListProps {
  pixels: Pixel[]
  onlyProblems: boolean
  onEdit: PixelActions['onEdit']
  addButton: ReactNode
}

function PixelList({ pixels, onlyProblems, onEdit, addButton }: PixelListProps) {
  const [filter, setFilter] = useState<PixelFilter>(
    onlyProblems ? { ...NO_FILTER, health: 'problems' } : NO_FILTER,
  )
  const [shownCodeId, setShownCodeId] = useState<string | null>(null)
  const [pixelToDelete, setPixelToDelete] = useState<Pixel | null>(null)
  const remove = useDeletePixel()
  useFocusAfterRemoval(pixels.length)
  useFreshTagOverview(pixels)
  const applied = useDeferredValue(filter)
  const runs = usePixelRuns()
  // Without a wish about health, news of it is no reason to go through the list.
  const { runOf } = applied.health === 'all' ? NO_RUNS : runs
  const found = useMemo(
    () => filterPixels(pixels, applied, (pixel) => healthOf(pixel, runOf(pixel.id)?.status)),
    [pixels, applied, runOf],
  )
  const actions = useMemo(
    () => ({
      onShowCode: (id: string) => setShownCodeId((shown) => (shown === id ? null : id)),
      onEdit,
      onDelete: setPixelToDelete,
    }),
    [onEdit],
  )
  const shown = pixels.find((pixel) => pixel.id === shownCodeId)
  const closeCode = (id: string) => {
    // Before the panel goes, and its button with the focus.
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
            text="Nenhum pixel ativo tem um problema que as visitas tenham mostrado."
            action={
              <Button look="outline" onClick={() => setFilter(NO_FILTER)}>
                Ver todos os pixels
              </Button>
            }
          />
        ) : found.length === 0 ? (
          <EmptyState
            title="Nenhum pixel encontrado"
            text="Nenhum pixel combina com a busca e os filtros."
            action={
              <Button look="outline" onClick={() => setFilter(NO_FILTER)}>
                Limpar busca e filtros
              </Button>
            }
          />
        ) : (
          <PixelTable pixels={found} runs={runs} shownCodeId={shownCodeId} actions={actions} />
        )}
      </Card>
      {shown ? (
        <OpenedPart key={shown.id} onClose={() => closeCode(shown.id)}>
          <CodePanel
            pixel={shown}
            run={runs.runOf(shown.id)}
            onMend={(startsAt) => onEdit(shown, startsAt)}
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
