/** Closes the menu on a click on one of its links, and keeps the focus in header and menu while it is open. */
export function wireMenu(): void {
  const menu = document.getElementById('menu')
  if (menu === null) return
  menu.addEventListener('click', (event) => {
    if ((event.target as Element).closest('a') !== null) menu.hidePopover()
  })
  menu.addEventListener('toggle', (event) => {
    const open = (event as ToggleEvent).newState === 'open'
    for (const part of document.querySelectorAll('main, footer')) part.toggleAttribute('inert', open)
  })
  matchMedia('(min-width: 1000px)').addEventListener('change', () => menu.hidePopover())
}
