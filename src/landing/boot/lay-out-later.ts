import { whenIdle } from './when-idle.ts'

/**
 * What lies below the first screen is left out of the first layout (class `later`) and laid out here, a section per idle
 * moment, so that no task is long, and after the typeface, so that it is done once. A jump to an anchor needs every
 * height before it: then all are laid out at once.
 */
export function layOutLater(typeface: Promise<void>): void {
  if (location.hash !== '') layOutAll()
  document.addEventListener('click', (event) => {
    if ((event.target as Element).closest('a[href^="#"]') !== null) layOutAll()
  })
  typeface.then(layOutNext, layOutNext)
}

function layOutNext(): void {
  const section = document.querySelector('.later')
  if (section === null) return
  whenIdle(() => {
    section.classList.remove('later')
    layOutNext()
  })
}

function layOutAll(): void {
  for (const section of document.querySelectorAll('.later')) section.classList.remove('later')
}
