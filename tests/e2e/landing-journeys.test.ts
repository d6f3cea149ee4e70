// Needs a browser: scrolling, focus, the menu and dialogs of the real page.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { DESKTOP, launchBrowser, PHONE, untilBooted, watchConsole } from '../support/browser.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'

let site: TestApp
let browser: Browser
beforeAll(async () => {
  site = await startTestApp({ listen: true })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await site.close()
})

/** Without smooth scrolling, which would only add waiting. */
async function visit(options: BrowserContextOptions, path = '/'): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  onTestFinished(() => context.close())
  const messages = watchConsole(context)
  onTestFinished(() => expect(messages).toEqual([]))
  const page = await context.newPage()
  await page.goto(site.url + path)
  if (options.javaScriptEnabled !== false && /^\/(\?|#|$)/.test(path)) await untilBooted(page)
  return page
}

describe('header', () => {
  test('is transparent at the top and white with a shadow past 50 px', async () => {
    const page = await visit(DESKTOP)
    const header = page.locator('header.top')
    const look = () =>
      header.evaluate((element) => {
        const style = getComputedStyle(element)
        return [style.backgroundColor, style.boxShadow === 'none']
      })
    expect(await look()).toEqual(['rgba(0, 0, 0, 0)', true])
    await page.evaluate(() => scrollTo(0, 50))
    await until(page, () => scrollY === 50)
    expect(await header.getAttribute('data-solid')).toBeNull()
    await page.evaluate(() => scrollTo(0, 51))
    await page.locator('header.top[data-solid]').waitFor()
    await expect.poll(look).toEqual(['rgb(255, 255, 255)', false])
    await page.evaluate(() => scrollTo(0, 0))
    await page.locator('header.top:not([data-solid])').waitFor()
  })

  test('links to each section and marks the current one', async () => {
    const page = await visit(DESKTOP)
    const navigation = page.getByRole('navigation', { name: 'Principal' })
    const places: [string, string][] = [
      ['Sobre', 'about'],
      ['Serviços', 'services'],
      ['Nichos', 'niches'],
      ['Contato', 'contact'],
      ['Início', 'home'],
    ]
    for (const [label, id] of places) {
      await navigation.getByRole('link', { name: label }).click()
      await page.locator(`nav.nav a[aria-current][href="#${id}"]`).waitFor()
      expect(await page.locator('nav.nav a[aria-current]').count()).toBe(1)
      expect(new URL(page.url()).hash).toBe(`#${id}`)
      const top = await page.locator(`#${id}`).evaluate((element) => element.getBoundingClientRect().top)
      expect(top).toBeLessThan(page.viewportSize()?.height ?? 0)
    }
  })

  test.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ])('targets of links are not covered by the header, on a %s', async (_name, device) => {
    const page = await visit(device)
    const gaps = await page.evaluate(() => {
      const header = document.querySelector('header.top')?.getBoundingClientRect().bottom ?? 0
      const links = document.querySelectorAll<HTMLAnchorElement>('a[href^="#"]')
      const places = new Set(Array.from(links, ({ hash }) => document.querySelector(hash)))
      return Array.from(places, (place) => {
        place?.scrollIntoView({ behavior: 'instant', block: 'start' })
        const heading = place?.querySelector('h1, h2, h3')?.getBoundingClientRect()
        return { place: place?.id, gap: heading ? heading.top - header : 0 }
      })
    })
    expect(gaps.length).toBeGreaterThan(10)
    expect(gaps.filter(({ gap }) => gap < 12)).toEqual([])
  })

  test.each([
    ['desktop', DESKTOP, '_blank'],
    ['phone', PHONE, null],
  ])('Acessar Conta on a %s', async (_name, device, target) => {
    const page = await visit(device)
    const login = page.getByRole('banner').getByRole('link', { name: 'Acessar Conta' })
    expect(await login.count()).toBe(1)
    expect(await login.getAttribute('target')).toBe(target)
    expect(await login.getAttribute('href')).toBe('https://app.portico.example/login')
  })
})

describe('menu on a small screen', () => {
  test('opens and closes by its button, Escape and a link, and keeps the focus', async () => {
    const page = await visit(PHONE)
    const toggle = page.getByRole('button', { name: 'Menu' })
    const menu = page.locator('#menu')
    await toggle.click()
    await menu.waitFor()
    await toggle.click()
    await menu.waitFor({ state: 'hidden' })

    await toggle.click()
    expect(await page.locator('main').evaluate((main: HTMLElement) => main.inert)).toBe(true)
    const seen = new Set<string>()
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press('Tab')
      seen.add(
        await page.evaluate(() => document.activeElement?.closest('main, footer')?.tagName ?? 'outside'),
      )
    }
    expect([...seen]).toEqual(['outside'])
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'hidden' })
    expect(await page.locator('main').evaluate((main: HTMLElement) => main.inert)).toBe(false)

    await toggle.click()
    await menu.getByRole('link', { name: 'Nichos' }).click()
    await menu.waitFor({ state: 'hidden' })
    expect(new URL(page.url()).hash).toBe('#niches')
  })
})

describe('legal documents', () => {
  test.each([
    ['Política de Privacidade', 'nunca são vendidos'],
    ['Termos de Uso', 'Elegibilidade'],
    ['Política de Cookies', 'desempenho'],
    ['Compliance', 'lavagem de dinheiro'],
  ])('%s opens as a dialog, scrolls, and returns the focus', async (title, words) => {
    const page = await visit(DESKTOP)
    const opener = page.locator('.legal').getByRole('button', { name: title, exact: true })
    await opener.click()
    const dialog = page.getByRole('dialog', { name: title })
    await dialog.waitFor()
    expect(await dialog.textContent()).toContain('Agosto de 2025')
    expect(await dialog.textContent()).toContain(words)
    const text = dialog.locator('.doc')
    const [height, inner] = await text.evaluate((element) => [element.clientHeight, element.scrollHeight])
    expect(height).toBeLessThanOrEqual(24 * 16)
    expect(inner).toBeGreaterThan(height ?? 0)

    await dialog.getByRole('button', { name: 'Fechar' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('by keyboard: Enter or Space opens, the focus stays inside, Escape closes', async () => {
    const page = await visit(DESKTOP)
    const opener = page.locator('[data-legal=termos]')
    for (const key of ['Enter', ' ']) {
      await opener.focus()
      await page.keyboard.press(key)
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      for (let step = 0; step < 5; step++) {
        await page.keyboard.press('Tab')
        const place = await page.evaluate(
          () =>
            document.activeElement === document.body || document.activeElement?.closest('dialog') !== null,
        )
        expect(place).toBe(true)
      }
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true)
    }
  })

  test('keeps a click from before React has loaded, and handles it then', async () => {
    const page = await visit(DESKTOP, '/')
    // Before the first script the link is a link to the page with the same text.
    const link = page.locator('[data-legal=compliance][role=button]')
    await link.evaluate((element: HTMLElement) => element.click())
    await page.getByRole('dialog', { name: 'Compliance' }).waitFor()
  })

  test('opens the page if the text cannot be loaded', async () => {
    const page = await visit(DESKTOP)
    await page.route('**/api/legal/*', (route) => route.fulfill({ status: 503, body: '' }))
    await page.context().removeAllListeners('console')
    await page.locator('[data-legal=termos]').click()
    await page.waitForURL('**/termos')
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Termos de Uso')
  })
})

test('once prefetched, the first click waits for no script', async () => {
  const page = await visit(DESKTOP)
  await until(page, () => document.querySelectorAll('link[rel=modulepreload]').length >= 2)
  await page.waitForLoadState('networkidle')
  const loadedPaths = () =>
    page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname))
  const before = await loadedPaths()
  expect(before.some((path) => path.startsWith('/assets/islands-'))).toBe(true)
  await page.locator('[data-legal=privacidade]').click()
  await page.getByRole('dialog').waitFor()
  expect((await loadedPaths()).slice(before.length)).toEqual(['/api/legal/privacidade'])
})

test('passes the campaign of the visit to the app, and stores nothing', async () => {
  const page = await visit(
    DESKTOP,
    '/?utm_source=meta&utm_source=x&UTM_Campaign=a%20b&gclid=g1&FBCLID=f1&ttclid=t1&msclkid=m1&gbraid=b1&li_fat_id=l1&epik=e1&outro=x',
  )
  const parametersOf = async (name: string) => {
    const href = await page.getByRole('link', { name }).first().getAttribute('href')
    return Object.fromEntries(new URL(href ?? '').searchParams)
  }
  for (const name of ['Abrir Conta', 'Começar Gratuitamente', 'Acessar Conta']) {
    await expect
      .poll(() => parametersOf(name))
      .toEqual({
        utm_source: 'meta',
        utm_campaign: 'a b',
        gclid: 'g1',
        fbclid: 'f1',
        ttclid: 't1',
        msclkid: 'm1',
        gbraid: 'b1',
        li_fat_id: 'l1',
        epik: 'e1',
      })
  }
  const whatsapp = await page
    .getByRole('link', { name: 'Falar com Especialista' })
    .first()
    .getAttribute('href')
  expect(whatsapp).not.toContain('utm_')
  expect(await page.context().cookies()).toEqual([])
  expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0)
})
