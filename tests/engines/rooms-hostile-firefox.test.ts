import type { Browser } from 'puppeteer-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { writeDocRow } from '../support/doc-table.ts'
import { launchFirefox, testInFirefox } from '../support/firefox.ts'
import { openAttackedInFirefox } from '../support/firefox-attacked-page.ts'
import { type HostileSite, startHostileSite } from '../support/hostile-site.ts'
import { judgePageAttack } from '../support/judge-page-attack.ts'
import { PAGE_ATTACKS, type PageAttack } from '../support/page-attacks.ts'

/** A tag would wait for a click before it opens windows. */
const PREFERENCES = { 'dom.disable_open_during_load': false }
/** What a room does not prevent here, and why. */
const REMAINS: Partial<Record<PageAttack, string>> = {
  hog: '**succeeds**: frames of one site share a process',
}
/** Causes no pause of 2.5 seconds in Firefox, in the page either. */
const HARMLESS: readonly PageAttack[] = ['flood-large']

let site: HostileSite
let browser: Browser | null = null
beforeAll(async () => {
  site = await startHostileSite()
}, 60_000)
afterAll(async () => {
  await browser?.close()
  await site.close()
})

/** Each in a page of its own: behind another one, a page gets neither keys nor frames. */
async function attackPage(name: PageAttack, place: 'page' | 'isolated'): Promise<string | null> {
  browser ??= await launchFirefox({ preferences: PREFERENCES })
  const attacked = await openAttackedInFirefox(browser, site.url, place)
  const target = { app: site, pixel: site.victims[place], isExpected: place === 'page' }
  const got = await judgePageAttack(name, attacked, target)
  await attacked.close()
  return got
}

testInFirefox.each(Object.keys(PAGE_ATTACKS) as PageAttack[])(
  '%s works in the page, and fails in a room as far as Firefox can',
  async (name) => {
    const inRoom = await attackPage(name, 'isolated')
    const inPage = await attackPage(name, 'page')
    const remains = REMAINS[name]
    expect({ inPage, inRoom }).toEqual({
      inPage: HARMLESS.includes(name) ? null : expect.any(String),
      inRoom: remains === undefined ? null : expect.any(String),
    })
    writeDocRow('docs/security.md', 'rooms in Firefox', [
      PAGE_ATTACKS[name],
      HARMLESS.includes(name) ? 'fails' : '**succeeds**',
      remains ?? 'fails',
    ])
  },
)
