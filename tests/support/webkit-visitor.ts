import { Key, type WebDriver, type WebElement } from 'selenium-webdriver'
import { expect, vi } from 'vitest'
import { fieldLabelled } from './field-labelled.ts'
import { ROLE_SELECTORS, shownAndNamed } from './shown-and-named.ts'
import type { PressedKey, Role, Visitor } from './visitor.ts'
import { WEBKIT_TOOLBAR_PX, type WebKit } from './webkit.ts'

const WAIT = { timeout: 30_000, interval: 50 }

const KEYS: Record<PressedKey, string> = {
  Tab: Key.TAB,
  Escape: Key.ESCAPE,
  Enter: Key.ENTER,
  Home: Key.HOME,
  ArrowLeft: Key.ARROW_LEFT,
  ArrowRight: Key.ARROW_RIGHT,
}

export async function newWebKitVisitor(webkit: WebKit): Promise<Visitor> {
  const driver = await webkit.open()
  const evaluate: Visitor['evaluate'] = (work, argument) =>
    driver.executeScript(`return (${work})(arguments[0])`, argument)
  return {
    goto: (url) => driver.get(url),
    reload: () => driver.navigate().refresh(),
    resize: async (width, height) =>
      void (await driver
        .manage()
        .window()
        .setRect({ x: 0, y: 0, width, height: height + WEBKIT_TOOLBAR_PX })),
    click: (role, name) =>
      vi.waitFor(async () => {
        const found = await findByRole(driver, role, name)
        await bringIntoView(driver, found)
        await found.click()
      }, WAIT),
    type: (label, text) =>
      vi.waitFor(async () => {
        const field = (await evaluate(fieldLabelled as never, label)) as WebElement | null
        if (field === null) throw new Error(`no field is labelled "${label}"`)
        await bringIntoView(driver, field)
        await field.sendKeys(text)
      }, WAIT),
    press: (key) => driver.actions().sendKeys(KEYS[key]).perform(),
    evaluate,
    screenshot: async () => Buffer.from(await driver.takeScreenshot(), 'base64'),
    close: () => driver.quit(),
  }
}

/** Synchronous: the driver scrolls smoothly, and refuses an element that has not arrived. */
async function bringIntoView(driver: WebDriver, element: WebElement): Promise<void> {
  await driver.executeScript("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", element)
}

async function findByRole(driver: WebDriver, role: Role, name: string): Promise<WebElement> {
  const found: WebElement | null = await driver.executeScript(
    `return (${shownAndNamed})(arguments[0], arguments[1])`,
    ROLE_SELECTORS[role],
    name,
  )
  if (found === null) throw new Error(`no ${role} is named "${name}"`)
  // The accessible role and name, too.
  expect([await found.getAriaRole(), await found.getAccessibleName()]).toEqual([role, name])
  return found
}
