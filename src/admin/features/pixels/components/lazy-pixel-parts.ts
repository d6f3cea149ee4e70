import { lazy } from 'react'
import { ScreenNotLoaded } from '#admin/components/screen-not-loaded.ts'

const LOADERS = {
  modal: async () => (await import('./pixel-modal.tsx')).PixelModal,
  panel: async () => (await import('./code-panel.tsx')).CodePanel,
}

/** What a click opens comes after the list, once there is time, or with the click. */
export const PixelModal = lazy(async () => ({ default: await LOADERS.modal().catch(notLoaded) }))
export const CodePanel = lazy(async () => ({ default: await LOADERS.panel().catch(notLoaded) }))

export function loadPixelPartsWhenIdle(): void {
  const load = () => {
    // One that does not come now is asked for again when it is opened.
    for (const loader of Object.values(LOADERS)) loader().catch(() => {})
  }
  if ('requestIdleCallback' in window) requestIdleCallback(load)
  else setTimeout(load, 1000)
}

function notLoaded(cause: unknown): never {
  throw new ScreenNotLoaded(cause)
}
