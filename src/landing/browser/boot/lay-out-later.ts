import { whenIdle } from '../shared/when-idle.ts'

/**
 * What lies below the first screen is left out of the first layout (class `later`) and laid out here, a section per idle
 * moment, so that no task is long, and after the typeface, so that it is done once.
 */
export function layOutLater(typeface: Promise<void>): void {
  void typeface.then(layOutNext)
}

function layOutNext(): void {
  const section = document.querySelector('.later')
  if (section === null) return
  whenIdle(() => {
    section.classList.remove('later')
    layOutNext()
  })
}
