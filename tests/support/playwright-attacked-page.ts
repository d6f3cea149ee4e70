import type { Browser, Frame, Page } from 'playwright-core'
import { vi } from 'vitest'
import { UNSEEN } from './browser.ts'
import { CONSENT } from './hostile-site.ts'
import type { AttackedPage } from './judge-page-attack.ts'
import { until } from './until.ts'

/** The isolated frame whose document has that function; they open one after the other. */
export function findTag(page: Page, name: 'attack' | 'attackPage' | 'heard'): Promise<Frame> {
  return vi.waitFor(
    async () => {
      for (const frame of page.frames().filter((each) => each.url().includes('/isolado/')))
        if (await frame.evaluate((each) => each in window, name)) return frame
      throw new Error(`no frame has ${name}`)
    },
    { timeout: 30_000, interval: 50 },
  )
}

/** A visitor who accepted everything, at a page of ours that opens another. */
export async function openOpener(
  browser: Browser,
  url: string,
  { withoutGuard = false } = {},
): Promise<Page> {
  const context = await browser.newContext(UNSEEN)
  await context.addCookies([{ name: 'portico_consent', value: CONSENT, url }])
  if (withoutGuard) await context.addInitScript(forgetGuard)
  const opener = await context.newPage()
  await opener.goto(`${url}/termos`)
  return opener
}

/** The page that it opens, on which both tags have run. */
export async function openAttacked(
  opener: Page,
  place: 'page' | 'isolated',
): Promise<AttackedPage & { close(): Promise<void> }> {
  const opening = opener.waitForEvent('popup')
  await opener.evaluate(() => void open('/?utm_source=a&email=maria@exemplo.com'))
  const page = await opening
  await until(page, () => 'attackPage' in window && 'heard' in window)
  await page.bringToFront()
  const tag = place === 'page' ? page.mainFrame() : await findTag(page, 'attackPage')
  const victim = place === 'page' ? page.mainFrame() : await findTag(page, 'heard')
  return {
    inPage: (work, argument) => page.evaluate(work as never, argument),
    inTag: (work, argument) => tag.evaluate(work as never, argument),
    inVictim: (work) => victim.evaluate(work as never),
    press: (key) => page.keyboard.press(key),
    clickAt: (x, y) => page.mouse.click(x, y),
    addresses: async () => page.frames().map((frame) => frame.url()),
    openerAddress: async () => opener.url(),
    close: () => page.close(),
  }
}

/** The page without its focus guard. */
function forgetGuard(): void {
  const listen = window.addEventListener.bind(window)
  Object.assign(window, {
    addEventListener: (...[type, ...rest]: Parameters<typeof listen>) => {
      if (type !== 'blur' && type !== 'focusin') listen(type, ...rest)
    },
  })
}
