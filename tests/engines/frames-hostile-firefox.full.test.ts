// Needs a browser: the attacks are on Firefox’s own boundaries.
import type { Browser } from 'puppeteer-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { writeDocRow } from '../support/doc-table.ts'
import { launchFirefox, testInFirefox } from '../support/firefox.ts'
import { openAttackedInFirefox } from '../support/firefox-attacked-page.ts'
import { type HostileSite, startHostileSite } from '../support/hostile-site.ts'
import { judgePageAttack } from '../support/judge-page-attack.ts'
import { PAGE_ATTACKS, type PageAttack } from '../support/page-attacks.ts'

/** Otherwise a tag needs a click to open windows. */
const PREFERENCES = { 'dom.disable_open_during_load': false }
/** What isolation does not prevent here, and why. */
const REMAINS: Partial<Record<PageAttack, string>> = {
  hog: '**succeeds**: frames of one site share a process',
}
/** Without `flood-large`: whether its messages pause the page for long depends on the speed of the machine. */
const ATTACKS = (Object.keys(PAGE_ATTACKS) as PageAttack[]).filter((name) => name !== 'flood-large')

let site: HostileSite
let browser: Browser | null = null
beforeAll(async () => {
  site = await startHostileSite()
})
afterAll(async () => {
  await browser?.close()
  await site.close()
})

/** Each in its own page: a page behind another one gets neither keys nor frames. */
async function attackPage(name: PageAttack, place: 'page' | 'isolated'): Promise<string | null> {
  browser ??= await launchFirefox({ preferences: PREFERENCES })
  const attacked = await openAttackedInFirefox(browser, site.url, place)
  const target = { app: site, pixel: site.victims[place], isExpected: place === 'page' }
  const got = await judgePageAttack(name, attacked, target)
  await attacked.close()
  return got
}

testInFirefox.each(ATTACKS)(
  '%s works in the page, and fails in an isolated frame as far as Firefox can',
  async (name) => {
    const inFrame = await attackPage(name, 'isolated')
    const inPage = await attackPage(name, 'page')
    const remains = REMAINS[name]
    expect({ inPage, inFrame }).toEqual({
      inPage: expect.any(String),
      inFrame: remains === undefined ? null : expect.any(String),
    })
    writeDocRow('docs/reports/attacks.md', 'isolated in Firefox', [
      PAGE_ATTACKS[name],
      '**succeeds**',
      remains ?? 'fails',
    ])
  },
)
