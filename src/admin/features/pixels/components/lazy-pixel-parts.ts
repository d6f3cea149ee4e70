import { lazyPart, loadWhenIdle } from '#admin/components/lazy-part.ts'

const LOADERS = {
  modal: async () => (await import('./pixel-modal.tsx')).PixelModal,
  deletion: async () => (await import('./delete-pixel-dialog.tsx')).DeletePixelDialog,
  panel: async () => (await import('./code-panel.tsx')).CodePanel,
}

/** What a click opens comes after the list. */
export const PixelModal = lazyPart(LOADERS.modal)
export const DeletePixelDialog = lazyPart(LOADERS.deletion)
export const CodePanel = lazyPart(LOADERS.panel)

export const loadPixelPartsWhenIdle = () => loadWhenIdle(LOADERS)
