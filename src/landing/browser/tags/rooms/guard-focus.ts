import { ROOM_REMOVALS } from '#contract/isolated-frame.ts'
import type { RoomFrame } from './room-frame.ts'

/**
 * In Chromium a hidden frame can take the keyboard, and neither `inert` nor its permissions policy keeps it from that.
 * Whichever does is removed, and the keyboard goes back to where it was: giving it back alone loses every key of a loop.
 */
export function guardFocus(roomOf: (element: Element | null) => RoomFrame | undefined): void {
  let last = document.activeElement
  const check = () => {
    const thief = roomOf(document.activeElement)
    if (thief === undefined) {
      if (document.activeElement !== document.body) last = document.activeElement ?? last
      return
    }
    thief.end('failed', ROOM_REMOVALS.focus)
    ;(last as HTMLElement | null)?.focus?.({ preventScroll: true })
  }
  addEventListener('focusin', check, true)
  addEventListener('blur', () => {
    check()
    // Firefox names the frame only after the event.
    setTimeout(check)
  })
}
