/** While the banner is shown, what it covers can be scrolled clear of it: the last lines of the page, and a focused field. */
export function makeRoomFor(banner: HTMLElement): void {
  const root = document.documentElement
  const update = () => {
    const room = banner.hidden ? '' : `${innerHeight - banner.getBoundingClientRect().top}px`
    root.style.scrollPaddingBottom = room
    document.body.style.paddingBottom = room
  }
  new ResizeObserver(update).observe(banner)
}
