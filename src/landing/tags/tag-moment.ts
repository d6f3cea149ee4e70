import { randomId } from '../consent/random-id.ts'

/** What a visitor did that tags want to know. Links carry the name in `data-moment`; islands announce it. */
export type MomentName = 'lead' | 'contact' | 'sign_up'

export interface Moment {
  name: MomentName
  /** One per moment, the same for every tag, so that a vendor can tell a copy from a second one. */
  id: string
}

const MOMENT_EVENT = 'portico:moment'

/** Calls `onMoment` once for each thing done, however it was done. */
export function watchMoments(onMoment: (moment: Moment) => void): void {
  const clicked = (event: MouseEvent) => {
    // The second click of a double click is the same decision, and a right click is none.
    if (event.detail > 1 || event.button > 1) return
    const name = (event.target as Element).closest<HTMLElement>('[data-moment]')?.dataset.moment
    if (name !== undefined) onMoment({ name: name as MomentName, id: randomId() })
  }
  addEventListener('click', clicked)
  addEventListener('auxclick', clicked)
  document.addEventListener(MOMENT_EVENT, (event) => {
    const { name } = (event as CustomEvent<{ name: MomentName }>).detail
    onMoment({ name, id: randomId() })
  })
}
