import { makeRoomFor } from './make-room.ts'

export function findBanner(): HTMLElement | null {
  return document.querySelector('.consent')
}

/** Second in the tab order, after the link that skips to the content; last in the HTML: it must cost the first paint nothing. */
export function showBanner(): void {
  const banner = findBanner()
  if (banner === null) return
  document.querySelector('.skip')?.after(banner)
  banner.hidden = false
  makeRoomFor(banner)
}
