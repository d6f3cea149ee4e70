import type { Browser, Frame, Page } from 'puppeteer-core'
import { vi } from 'vitest'
import { BY_TIMER } from './firefox.ts'
import { CONSENT } from './hostile-site.ts'
import type { AttackedPage } from './judge-page-attack.ts'

/** A visitor's page in Firefox, opened by another one, on which both tags have run. */
export async function openAttackedInFirefox(
  browser: Browser,
  url: string,
  place: 'page' | 'isolated',
): Promise<AttackedPage & { close(): Promise<void> }> {
  const context = await browser.createBrowserContext()
  await context.setCookie({ name: 'portico_consent', value: CONSENT, domain: 'localhost', path: '/' })
  const opener = await context.newPage()
  await opener.goto(`${url}/termos`)
  const opening = new Promise<Page | null>((resolve) => opener.once('popup', resolve))
  await opener.evaluate(() => void open('/?utm_source=a&email=maria@exemplo.com'))
  const page = await opening
  if (page === null) throw new Error('the page did not open')
  await page.bringToFront()
  await page.waitForFunction(() => 'attackPage' in window && 'heard' in window, BY_TIMER)
  const tag = place === 'page' ? page.mainFrame() : await findTag(page, 'attackPage')
  const victim = place === 'page' ? page.mainFrame() : await findTag(page, 'heard')
  return {
    inPage: (work, argument) => page.evaluate(work as never, argument as never),
    inTag: (work, argument) => tag.evaluate(work as never, argument as never),
    inVictim: (work) => victim.evaluate(work as never),
    press: (key) => page.keyboard.press(key as 'k'),
    clickAt: (x, y) => page.mouse.click(x, y),
    // Of the shown document: the driver returns the requested address, even if the policy stopped it.
    addresses: () =>
      Promise.all(page.frames().map((frame) => frame.evaluate(() => document.documentURI).catch(() => ''))),
    openerAddress: () => opener.evaluate(() => document.documentURI).catch(() => ''),
    close: () => context.close(),
  }
}

/** The isolated frame whose document has that function; they open one after the other. */
function findTag(page: Page, name: 'attackPage' | 'heard'): Promise<Frame> {
  return vi.waitFor(
    async () => {
      for (const frame of page.frames().filter((each) => each.url().includes('/isolado/')))
        if (await frame.evaluate((each) => each in window, name)) return frame
      throw new Error(`no frame has ${name}`)
    },
    { timeout: 30_000, interval: 50 },
  )
}
