import crossingStyle from '#landing/styles/crossing.css?inline'
import { adoptStyle } from '../shared/adopt-style.ts'
import { whenIdle } from './when-idle.ts'

/** The hero's payments stand still in the first frames, which then cost less, and for good where there are no scripts. */
export function startCrossing(): void {
  whenIdle(() => {
    adoptStyle(crossingStyle)
    document.querySelector('.art')?.classList.add('live')
  })
}
