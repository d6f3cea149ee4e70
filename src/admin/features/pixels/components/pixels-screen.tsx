import { Plus } from 'lucide-react'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { ConfirmDialog } from '#admin/components/confirm-dialog.tsx'
import { EmptyState } from '#admin/components/empty-state.tsx'
import { LoadFailure } from '#admin/components/load-failure.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { useFocusAfterRemoval } from '#admin/components/use-focus-after-removal.ts'
import type { Pixel } from '#contract/pixel.ts'
import { useDeletePixel } from '../api/delete-pixel.ts'
import { usePixels } from '../api/list-pixels.ts'
import { useFreshTagOverview } from '../api/tag-overview.ts'
import { filterPixels, NO_FILTER } from '../filter-pixels.ts'
import { BlockedHosts } from './blocked-hosts.tsx'
import { CodePanel } from './code-panel.tsx'
import { ContainerNotice } from './container-notice.tsx'
import { PauseSwitch } from './pause-switch.tsx'
import { focusCodeButton } from './pixel-cells.tsx'
import { PixelModal } from './pixel-modal.tsx'
import { PixelSkeleton } from './pixel-skeleton.tsx'
import { PixelTable } from './pixel-table.tsx'
import { PixelToolbar } from './pixel-toolbar.tsx'
import { PixelsEmpty } from './pixels-empty.tsx'
import { PolicyNotice } from './policy-notice.tsx'
import { SharedOriginNotice } from './shared-origin-notice.tsx'

export function PixelsScreen() {
  const pixels = usePixels()
  /** `null` adds one, `undefined` means that the form is closed. */
  const [edited, setEdited] = useState<Pixel | null | undefined>(undefined)
  const addButton = (
    <Button onClick={() => setEdited(null)}>
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
      {pixels.data ? (
        <PixelList pixels={pixels.data} onEdit={setEdited} addButton={addButton} />
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
      {edited === undefined ? null : <PixelModal pixel={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}

interface PixelListProps {
  pixels: Pixel[]
  onEdit: (pixel: Pixel) => void
  addButton: ReactNode
}

function PixelList({ pixels, onEdit, addButton }: PixelListProps) {
  const [filter, setFilter] = useState(NO_FILTER)
  const [shownCodeId, setShownCodeId] = useState<string | null>(null)
  const [pixelToDelete, setPixelToDelete] = useState<Pixel | null>(null)
  const remove = useDeletePixel()
  useFocusAfterRemoval(pixels.length)
  useFreshTagOverview(pixels)
  const applied = useDeferredValue(filter)
  const found = useMemo(() => filterPixels(pixels, applied), [pixels, applied])
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
        <PixelToolbar pixels={pixels} found={found.length} filter={filter} onFilter={setFilter} />
        {found.length === 0 ? (
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
          <PixelTable pixels={found} shownCodeId={shownCodeId} actions={actions} />
        )}
      </Card>
      {shown ? <CodePanel key={shown.id} pixel={shown} onClose={() => closeCode(shown.id)} /> : null}
      <BlockedHosts pixels={pixels} />
      <PolicyNotice />
      <ContainerNotice />
      <SharedOriginNotice pixels={pixels} />
      {pixelToDelete ? (
        <ConfirmDialog
          title="Tem certeza que deseja excluir este pixel?"
          description={`${pixelToDelete.name} deixa de rodar no site na próxima visita.`}
          confirmLabel="Excluir"
          onCancel={() => setPixelToDelete(null)}
          onConfirm={() => {
            remove.mutate(pixelToDelete)
            setPixelToDelete(null)
          }}
        />
      ) : null}
    </>
  )
}
