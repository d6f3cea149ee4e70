export const OVERLAY = 'fixed inset-0 z-20 bg-ink/70 appear-fading'

/**
 * A sheet that stands on the bottom edge of a phone, and in the middle of anything larger. Its height is its content's by
 * itself: as `fit-content` between two edges, WebKit stretches a grid to both and leaves nothing to a flexible part.
 */
export const SHEET =
  'sheet fixed z-20 inset-x-0 bottom-0 max-h-[calc(100dvh-24px)] rounded-t-2 bg-surface shadow-high appear-rising focus:outline-0 sm:bottom-auto sm:mx-auto sm:w-[calc(100%-32px)] sm:centred sm:max-h-[calc(100dvh-32px)] sm:rounded-2'
