/** While the banner is shown, what it covers can be scrolled clear of it: the last lines of the page, and a focused field. */
export function makeRoomFor(banner: HTMLElement): void {
  const root = document.documentElement
  // The footer grows, so that no strip of paper shows below it.
  const end = document.querySelector('footer') ?? document.body
  const update = () => {
    const room = banner.hidden ? '' : `${innerHeight - banner.getBoundingClientRect().top}px`
    root.style.scrollPaddingBottom = room
    end.style.paddingBottom = room
  }
  new ResizeObserver(update).observe(banner)
}
