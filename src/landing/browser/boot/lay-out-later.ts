import { whenIdle } from '../shared/when-idle.ts'

/**
 * Lays out the sections below the first screen (class `later`), one per idle moment, so that no task is long. The first
 * layout leaves them out.
 */
export function layOutLater(): void {
  const section = document.querySelector('.later')
  if (section === null) return
  whenIdle(() => {
    section.classList.remove('later')
    layOutLater()
  })
}
