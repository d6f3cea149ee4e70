import { whenIdle } from '../shared/when-idle.ts'

/** Starts the hero's animation. Without it the first frames cost less; where there are no scripts it never starts. */
export function startCrossing(): void {
  whenIdle(() => {
    document.querySelector('.art')?.classList.add('live')
  })
}
