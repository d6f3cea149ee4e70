import { readCampaign } from '#contract/campaign.ts'
import type { ConsentCategory } from '#contract/consent.ts'
import { allowsVisitCode, VISIT_PARAMETER, VISITS_PATH } from '#contract/visit-code.ts'
import { attempt } from './page.ts'

/*
 * What links to the app carry, so that a registration can be attributed: the campaign of this address, for everybody
 * and without storing anything, and with consent the code of the visit.
 */

const APP_LINKS = 'a[data-app]'
const WHATSAPP_LINKS = 'a[href^="https://wa.me/"]'

const campaign = new URLSearchParams([...readCampaign(location.search)])

addParameters(campaign)

/** Code and arrival of a visit. */
interface Visit {
  code: string
  query: string
  referrer: string | undefined
}

let visit: Visit | undefined

/**
 * Only for visitors who accepted "desempenho" or "marketing", and after the note of what was stored before tags ran, so
 * that a withdrawal deletes the code with everything else. Links to the app carry the code of the visit, and so does
 * the message to sales. The server learns of the code when such a link is used, and reads the consent again.
 */
export function carryVisit(granted: readonly ConsentCategory[]): void {
  if (visit || !allowsVisitCode(granted)) return
  visit = readVisit()
  const { code } = visit
  const body = new Blob([JSON.stringify(visit)], { type: 'application/json' })
  // Storing it again changes nothing.
  const send = () => navigator.sendBeacon(VISITS_PATH, body)
  addParameters([[VISIT_PARAMETER, code]])
  for (const link of find(WHATSAPP_LINKS)) link.href += encodeURIComponent(`\n\nCódigo da visita: ${code}`)
  for (const link of find(`${APP_LINKS}, ${WHATSAPP_LINKS}`)) {
    // Also for a new tab by menu or long press, which is no click. A key press is.
    link.addEventListener('pointerdown', send)
    link.addEventListener('click', send)
  }
}

/** The visit of this tab goes on with the next page, unless that one comes from another campaign. */
function readVisit(): Visit {
  const query = `${campaign}`
  let kept: Visit | undefined
  attempt(() => {
    kept = JSON.parse(sessionStorage[VISIT_PARAMETER])
  })
  if (kept && (query === '' || query === kept.query)) return kept
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const code = `v_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
  const made = { code, query, referrer: document.referrer.split('/')[2] }
  attempt(() => {
    sessionStorage[VISIT_PARAMETER] = JSON.stringify(made)
  })
  return made
}

function addParameters(parameters: Iterable<[string, string]>): void {
  for (const link of find(APP_LINKS)) {
    const url = new URL(link.href)
    for (const [name, value] of parameters) url.searchParams.set(name, value)
    link.href = url.href
  }
}

function find(links: string): NodeListOf<HTMLAnchorElement> {
  return document.querySelectorAll(links)
}
