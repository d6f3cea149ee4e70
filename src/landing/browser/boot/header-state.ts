const SOLID_AFTER_PX = 50

/** Transparent at the top, solid past 50 px. */
export function followHeaderState(): void {
  const header = document.querySelector('.top')
  const update = () => header?.toggleAttribute('data-solid', scrollY > SOLID_AFTER_PX)
  addEventListener('scroll', update, { passive: true })
  update()
}
