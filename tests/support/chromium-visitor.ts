import type { Browser } from 'playwright-core'
import type { Visitor } from './visitor.ts'

export async function newChromiumVisitor(browser: Browser): Promise<Visitor> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'pt-BR' })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  return {
    goto: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    resize: (width, height) => page.setViewportSize({ width, height }),
    click: (role, name) => page.getByRole(role, { name, exact: true }).click(),
    type: (label, text) => page.getByLabel(label, { exact: true }).fill(text),
    press: (key) => page.keyboard.press(key),
    evaluate: (work, argument) => page.evaluate(work as never, argument),
    screenshot: () => page.screenshot(),
    close: () => context.close(),
  }
}
