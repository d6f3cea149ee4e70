import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { launchFirefox, testInFirefox } from '../support/firefox.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { untilTags } from '../support/until-tags.ts'

let site: TestApp
beforeAll(async () => {
  site = await startTestApp({ listen: true })
  await insertPixel(site.database.db, { type: 'custom', code: '<script>window.ran = true</script>' })
  await untilTags(site.url)
})
afterAll(() => site.close())

async function open(path: string, preferences: Record<string, unknown> = {}): Promise<Page> {
  const browser = await launchFirefox({ fonts: 'dejavu', preferences })
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.setViewport({ width: 375, height: 740 })
  await page.goto(site.url + path)
  return page
}

testInFirefox(
  'wears the typeface, names an icon that the policy lets through, and Tab goes round header and menu',
  async () => {
    const page = await open('/')
    await page.waitForFunction(() => document.documentElement.className === 'typeset')
    const icon = await page.evaluate(() => document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href)
    expect(icon).toMatch(/\/assets\/.+\.ico$/)

    await page.evaluate(() => document.querySelector<HTMLElement>('[data-consent=reject]')?.click())
    await page.click('.top .icon')
    await page.waitForSelector('#menu', { visible: true })
    const stops = new Set<string>()
    for (let step = 0; step < 10; step++) {
      await page.keyboard.press('Tab')
      stops.add(
        await page.evaluate(() => {
          const { activeElement } = document
          return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? ''
        }),
      )
    }
    for (const label of ['Menu', 'Início', 'Sobre', 'Serviços', 'Nichos', 'Contato', 'Acessar Conta']) {
      expect([...stops]).toContain(label)
    }
  },
)

testInFirefox('starts where the browser hides its clock', async () => {
  const page = await open('/', { 'privacy.resistFingerprinting': true })
  await page.waitForFunction(() => document.querySelector<HTMLElement>('.consent')?.hidden === false)
})
