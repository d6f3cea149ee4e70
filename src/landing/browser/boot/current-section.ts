/** Marks in the navigation the section that crosses the middle of the screen. */
export function followCurrentSection(): void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        for (const link of document.querySelectorAll(`nav a[href="#${target.id}"]`)) {
          if (isIntersecting) link.setAttribute('aria-current', 'true')
          else link.removeAttribute('aria-current')
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
