import { CLICKS_PATH, VIEWS_PATH } from '#contract/visit-paths.ts'
import { watchConversions } from '../tags/watch-conversions.ts'

/**
 * Counts clicks, and views that the server does not see: a prerendered page that is now shown, and one that the browser
 * had kept. Without cookie or identifier; the server reads the campaign from the address of this page.
 */
export function countVisit(): void {
  // `UNCOUNTED_ATTRIBUTE`, as short as this file has to be.
  if (document.documentElement.dataset.off === '') return
  document.addEventListener('prerenderingchange', () => count(VIEWS_PATH))
  addEventListener('pageshow', (event) => event.persisted && count(VIEWS_PATH))
  watchConversions(({ name }) => name === 'sign_up' || count(CLICKS_PATH, name))
}

function count(path: string, name?: string): boolean {
  const body = JSON.stringify({ name, referrer: document.referrer.split('/')[2] })
  return navigator.sendBeacon(path, new Blob([body], { type: 'application/json' }))
}
