/**
 * Makes each link open a dialog, and say so; without scripts, and when the dialog cannot be had, it leads to a page.
 * `prepare` begins with the press, while the finger is still down.
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
