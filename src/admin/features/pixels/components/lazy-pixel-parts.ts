import { lazyPart, loadWhenIdle } from '#admin/components/lazy-part.ts'

const LOADERS = {
  modal: async () => (await import('./pixel-modal.tsx')).PixelModal,
  confirm: async () => (await import('#admin/components/confirm-dialog.tsx')).ConfirmDialog,
  panel: async () => (await import('./code-panel.tsx')).CodePanel,
}

/** What a click opens comes after the list. */
export const PixelModal = lazyPart(LOADERS.modal)
export const LazyConfirmDialog = lazyPart(LOADERS.confirm)
export const CodePanel = lazyPart(LOADERS.panel)

export const loadPixelPartsWhenIdle = () => loadWhenIdle(LOADERS)
