import { MOMENT_EVENT, type Moment } from '../shared/announce-moment.ts'
import { randomId } from '../shared/random-id.ts'

/** One thing that a visitor did: links carry its name in `data-moment`, islands announce it. */
export interface TagMoment {
  name: Moment
  /** One per moment, the same for every tag, so that a vendor can tell a copy from a second one. */
  id: string
}

/** Calls `onMoment` once for each thing done, however it was done. */
export function watchMoments(onMoment: (moment: TagMoment) => void): void {
  const clicked = (event: MouseEvent) => {
    // The second click of a double click is the same decision, and a right click is none.
    if (event.detail > 1 || event.button > 1) return
    const name = (event.target as Element).closest<HTMLElement>('[data-moment]')?.dataset.moment
    if (name !== undefined) onMoment({ name: name as Moment, id: randomId() })
  }
  addEventListener('click', clicked)
  addEventListener('auxclick', clicked)
  document.addEventListener(MOMENT_EVENT, (event) => {
    const { name } = (event as CustomEvent<{ name: Moment }>).detail
    onMoment({ name, id: randomId() })
  })
}
