/** What a visitor did that a tag may want to count. Links carry the name in `data-moment`. */
export type Moment = 'sign_up' | 'lead' | 'contact'

export const MOMENT_EVENT = 'portico:moment'

export function announceMoment(name: Moment): void {
  document.dispatchEvent(new CustomEvent(MOMENT_EVENT, { detail: { name } }))
}
