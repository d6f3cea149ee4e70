import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { launchFirefox, testInFirefox } from '../support/firefox.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let site: TestApp
const browsers: Browser[] = []
beforeAll(async () => {
  site = await startTestApp({ listen: true })
  await insertPixel(site.database.db, { type: 'custom', code: '<script>window.ran = true</script>' })
})
afterAll(async () => {
  for (const browser of browsers) await browser.close()
  await site.close()
})

async function open(path: string, preferences: Record<string, unknown> = {}): Promise<Page> {
  const browser = await launchFirefox({ fonts: 'dejavu', preferences })
  browsers.push(browser)
  const page = await browser.newPage()
  await page.setViewport({ width: 375, height: 740 })
  await page.goto(site.url + path)
  return page
}

const untilAsked = (page: Page) => page.waitForSelector('::-p-text(Aceitar todos)', { visible: true })

testInFirefox('an anchor, and a reload lower down, boot as the top does', async () => {
  const page = await open('/#niches')
  await untilAsked(page)
  await page.reload()
  await untilAsked(page)
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(1000)
  await page.waitForSelector('header.top[data-solid]')
})

testInFirefox('a browser that hides its clock boots too', async () => {
  await untilAsked(await open('/', { 'privacy.resistFingerprinting': true }))
})

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
