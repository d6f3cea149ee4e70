/**
 * Makes each link open a dialog, with the role of a button that does; without scripts, and when the dialog cannot be
 * loaded, it leads to a page. `prepare` is called on `pointerdown`, before the click.
 */
export function openDialogs(
  links: Iterable<HTMLAnchorElement>,
  prepare: () => Promise<unknown>,
  open: (link: HTMLAnchorElement) => Promise<unknown>,
): void {
  for (const link of links) {
    link.role = 'button'
    link.ariaHasPopup = 'dialog'
    link.addEventListener('pointerdown', () => void prepare().catch(() => {}))
    link.addEventListener('keydown', (event) => {
      if (event.key !== ' ') return
      event.preventDefault()
      link.click()
    })
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      open(link).catch(() => location.assign(link.href))
    })
  }
}
