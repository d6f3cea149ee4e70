import { whenIdle } from './when-idle.ts'

/** The hero's payments stand still in the first frames, which then cost less, and for good where there are no scripts. */
export function startCrossing(): void {
  whenIdle(() => {
    document.querySelector('.art')?.classList.add('live')
  })
}
