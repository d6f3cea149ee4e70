import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { DESKTOP, launchBrowser, PHONE, watchConsole } from '../support/browser.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let site: TestApp
let browser: Browser
beforeAll(async () => {
  site = await startTestApp({
    listen: true,
    env: {
      COMPANY_LEGAL_NAME: 'Pórtico Pagamentos S.A.',
      COMPANY_CNPJ: '12.345.678/0001-90',
      DPO_EMAIL: 'dpo@portico.example',
    },
  })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await site.close()
})

async function visit(options: BrowserContextOptions, path = '/'): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(site.url + path)
  if (options.javaScriptEnabled !== false) {
    await page.waitForFunction(() => document.querySelector('.later') === null)
  }
  return page
}

describe('axe finds nothing', () => {
  const states: [string, BrowserContextOptions, string, (page: Page) => Promise<void>][] = [
    ['desktop', DESKTOP, 'html', async () => {}],
    ['phone', PHONE, 'html', async () => {}],
    [
      'scrolled',
      DESKTOP,
      '.top',
      async (page) => {
        await page.evaluate(() => scrollTo(0, 2000))
        await page.locator('header.top[data-solid]').waitFor()
        await page.waitForFunction(() =>
          document.getAnimations().every(({ playState }) => playState !== 'running'),
        )
      },
    ],
    [
      'menu open',
      PHONE,
      'html',
      async (page) => {
        await page.getByRole('button', { name: 'Menu' }).click()
        await page.locator('#menu').waitFor()
        await page.waitForFunction(() =>
          document.getAnimations().every(({ playState }) => playState !== 'running'),
        )
      },
    ],
    [
      'document open',
      DESKTOP,
      'html',
      async (page) => {
        await page.locator('[data-legal=privacidade]').click()
        await page.getByRole('dialog').waitFor()
      },
    ],
    [
      'newsletter refused',
      DESKTOP,
      'footer',
      async (page) => {
        await page.locator('form input[type=email]').fill('nada')
        await page.getByRole('button', { name: 'Inscrever' }).click()
        await page.getByText('Por favor, insira um e-mail válido.').waitFor()
      },
    ],
  ]
  test.each(states)('%s', async (_name, device, part, prepare) => {
    const page = await visit(device)
    await prepare(page)
    const { violations } = await new AxeBuilder({ page }).include(part).analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`)).toEqual(
      [],
    )
  })

  test.each(['/privacidade', '/nada'])('%s', async (path) => {
    const page = await visit(PHONE, path)
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`)).toEqual(
      [],
    )
  })
})

test('no request leaves this site and nothing is said in the console', async () => {
  const context = await browser.newContext(DESKTOP)
  onTestFinished(() => context.close())
  const messages = watchConsole(context)
  const foreign: string[] = []
  context.on('request', (request) => {
    if (!request.url().startsWith(site.url)) foreign.push(request.url())
  })
  const page = await context.newPage()
  await page.goto(site.url, { waitUntil: 'networkidle' })
  await page.waitForFunction(() => document.querySelector('.later') === null)
  expect(foreign).toEqual([])
  expect(messages).toEqual([])
})

test('only transform and opacity move in the hero', async () => {
  const page = await visit({ ...DESKTOP, reducedMotion: 'no-preference' })
  const moved = await page.evaluate(() =>
    document
      .getAnimations()
      .map((animation) => animation.effect as KeyframeEffect)
      .filter((effect) => effect.target?.closest('.hero') != null)
      .flatMap((effect) => effect.getKeyframes())
      .flatMap((frame) => Object.keys(frame))
      .filter((name) => !['offset', 'computedOffset', 'easing', 'composite'].includes(name)),
  )
  expect([...new Set(moved)].sort()).toEqual(['opacity', 'transform'])
})

test('the payments start to move from where they stood', async () => {
  const page = await visit({ ...DESKTOP, reducedMotion: 'no-preference' })
  await page.locator('.art.live').waitFor({ state: 'attached' })
  const jumps = await page.evaluate(() => {
    const chips = Array.from(document.querySelectorAll('.chip'))
    const places = () =>
      chips.map((chip) => [chip.getBoundingClientRect().x, Number(getComputedStyle(chip).opacity)] as const)
    for (const animation of chips.flatMap((chip) => chip.getAnimations())) {
      animation.pause()
      animation.currentTime = 0
    }
    const atStart = places()
    document.querySelector('.art')?.classList.remove('live')
    const still = places()
    return still
      .map(([x, opacity], index) => [x - (atStart[index]?.[0] ?? 0), opacity - (atStart[index]?.[1] ?? 0)])
      .filter(([x = 0, opacity = 0]) => Math.abs(x) > 1 || opacity !== 0)
  })
  expect(jumps).toEqual([])
})

test('text at twice its size is not cut on a phone', async () => {
  for (const width of [320, 375]) {
    const page = await visit({ ...PHONE, viewport: { width, height: 740 } })
    const cut = await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
      return Array.from(document.querySelectorAll('header *, main *, footer *'))
        .filter((element) => element.closest('.art, .trap, svg, pre') === null)
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
        .map((element) => element.outerHTML.slice(0, 80))
    })
    expect(cut).toEqual([])
  }
})

test("in a person's own colours whatever is pressed has an edge", async () => {
  const page = await visit({ ...DESKTOP, forcedColors: 'active' })
  const bare = await page.evaluate(() =>
    Array.from(document.querySelectorAll('.btn, button, input:not(.trap)'))
      .filter((element) => element.checkVisibility())
      .filter((element) => getComputedStyle(element).outlineStyle === 'none')
      .map((element) => element.outerHTML.slice(0, 80)),
  )
  expect(bare).toEqual([])
})

test('on paper there is neither header nor form, and the chart shows its figures', async () => {
  const page = await visit(DESKTOP)
  await page.emulateMedia({ media: 'print' })
  for (const part of ['.skip', '.top', '.art', '.news']) {
    expect(await page.locator(part).first().isVisible(), part).toBe(false)
  }
  expect(await page.locator('.fall').evaluate((bar) => getComputedStyle(bar).animationName)).toBe('none')
})

test('before popovers the menu is closed, and its button opens it', async () => {
  const context = await browser.newContext({ ...PHONE, reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  await context.addInitScript(() => {
    for (const name of ['showPopover', 'hidePopover', 'togglePopover', 'popover'])
      Reflect.deleteProperty(HTMLElement.prototype, name)
    Reflect.deleteProperty(HTMLButtonElement.prototype, 'popoverTargetElement')
    addEventListener('DOMContentLoaded', () => {
      document.querySelector('.top .icon')?.removeAttribute('popovertarget')
      document.getElementById('menu')?.removeAttribute('popover')
    })
  })
  const page = await context.newPage()
  await page.goto(site.url)
  await page.waitForFunction(() => document.querySelector('.later') === null)
  const menu = page.locator('#menu')
  expect(await menu.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Menu' }).click()
  await menu.waitFor()
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Menu' }).click()
  await menu.getByRole('link', { name: 'Nichos' }).click()
  await menu.waitFor({ state: 'hidden' })
})

test('a visitor who asked for stillness gets a still frame', async () => {
  const page = await visit({ ...DESKTOP, reducedMotion: 'reduce' })
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
})

test('without JavaScript everything is there: text, menu, documents, links', async () => {
  const page = await visit({ ...PHONE, javaScriptEnabled: false })
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
  for (const words of ['50K+', 'Gaming', 'Taxas até 40% menores', 'A porta está aberta.']) {
    expect(await page.getByText(words, { exact: true }).first().isVisible()).toBe(true)
  }
  // Nothing could close the menu, so there is none.
  expect(await page.getByRole('button', { name: 'Menu' }).isVisible()).toBe(false)
  await page.getByRole('navigation', { name: 'Principal' }).getByRole('link', { name: 'Contato' }).click()
  expect(new URL(page.url()).hash).toBe('#contact')
  await page.locator('.legal').getByRole('link', { name: 'Termos de Uso' }).click()
  await page.waitForURL('**/termos')
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Termos de Uso')
})
