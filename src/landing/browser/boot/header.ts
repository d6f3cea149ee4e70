/** Marks the section in the middle of the screen in the navigation. */
export function followCurrentSection(): void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        for (const link of document.querySelectorAll(`nav a[href="#${target.id}"]`)) {
          link.ariaCurrent = isIntersecting ? 'true' : null
        }
      }
    },
    { rootMargin: '-50% 0px' },
  )
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.top nav a')) {
    const section = document.querySelector(link.hash)
    if (section !== null) observer.observe(section)
  }
}

const SOLID_AFTER_PX = 50

/** Transparent at the top, solid past 50 px. */
export function followHeaderState(): void {
  const header = document.querySelector('.top')
  const update = () => header?.toggleAttribute('data-solid', scrollY > SOLID_AFTER_PX)
  addEventListener('scroll', update, { passive: true })
  update()
}

/** Closes the menu after a click on a link, and keeps the focus in header and menu while it is open. */
export function wireMenu(): void {
  const menu = document.getElementById('menu')
  const toggle = document.querySelector<HTMLElement>('.top .icon')
  if (menu === null || toggle === null) return
  const show = (open: boolean) => {
    if (menu.hidePopover) open ? menu.showPopover() : menu.hidePopover()
    else follow(menu.classList.toggle('open', open))
  }
  const follow = (open: boolean) => {
    for (const part of document.querySelectorAll<HTMLElement>('main, footer')) part.inert = open
    if (open) addEventListener('keydown', keepFocus)
    else removeEventListener('keydown', keepFocus)
  }
  // Browsers disagree on the position of a popover in the tab order.
  const keepFocus = (event: KeyboardEvent) => {
    if (event.key === 'Escape') show(false)
    if (event.key !== 'Tab') return
    event.preventDefault()
    const stops = Array.from(document.querySelectorAll<HTMLElement>('.top :is(a, button), #menu a')).filter(
      (stop) => stop.getClientRects().length > 0,
    )
    const at = stops.indexOf(document.activeElement as HTMLElement)
    stops.at(event.shiftKey ? Math.max(at, 0) - 1 : (at + 1) % stops.length)?.focus()
  }
  menu.addEventListener('click', (event) => {
    if ((event.target as Element).closest('a') !== null) show(false)
  })
  menu.addEventListener('toggle', (event) => follow((event as ToggleEvent).newState === 'open'))
  // Without popover support (iOS 16, Firefox 124) the button does nothing by itself.
  if (!menu.hidePopover) toggle.addEventListener('click', () => show(!menu.classList.contains('open')))
  matchMedia('(min-width: 1000px)').addEventListener('change', () => show(false))
}
