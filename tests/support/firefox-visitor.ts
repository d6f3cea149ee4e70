import type { Browser, ElementHandle } from 'puppeteer-core'
import { fieldLabelled } from './field-labelled.ts'
import { BY_TIMER } from './firefox.ts'
import { ROLE_SELECTORS, shownAndNamed } from './shown-and-named.ts'
import type { Visitor } from './visitor.ts'

export async function newFirefoxVisitor(browser: Browser): Promise<Visitor> {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  // Behind another tab it would get no frames.
  await page.bringToFront()
  return {
    goto: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    resize: (width, height) => page.setViewport({ width, height }),
    click: async (role, name) => {
      const found = await page.waitForFunction(shownAndNamed, BY_TIMER, ROLE_SELECTORS[role], name)
      await (found as ElementHandle).click()
    },
    type: async (label, text) => {
      const field = await page.waitForFunction(fieldLabelled, BY_TIMER, label)
      await (field as ElementHandle<HTMLInputElement>).type(text)
    },
    press: (key) => page.keyboard.press(key),
    evaluate: (work, argument) => page.evaluate(work as never, argument as never),
    screenshot: () => page.screenshot(),
    close: () => context.close(),
  }
}
