// Needs a browser: axe, print, forced colours, no scripts.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { atEachWidth } from '../support/at-each-width.ts'
import { DESKTOP, launchBrowser, PHONE, watchConsole } from '../support/browser.ts'
import { findViolations } from '../support/find-violations.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'

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

async function open(options: BrowserContextOptions, path = '/'): Promise<Page> {
  return load(await browser.newContext({ reducedMotion: 'reduce', ...options }), path)
}

async function load(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(site.url + path)
  await until(page, () => document.querySelector('.later') === null)
  return page
}

async function visit(options: BrowserContextOptions, path = '/'): Promise<Page> {
  const page = await open(options, path)
  onTestFinished(() => page.context().close())
  return page
}

test('axe finds nothing in a document, nor on the 404 page', async () => {
  const page = await visit(PHONE, '/privacidade')
  expect(await findViolations(page)).toEqual([])
  await page.goto(`${site.url}/nada`)
  expect(await findViolations(page)).toEqual([])
})

/** One page in several states. */
describe('on a desktop', () => {
  let page: Page
  let messages: string[]
  const foreign: string[] = []
  beforeAll(async () => {
    const context = await browser.newContext({ ...DESKTOP, reducedMotion: 'reduce' })
    messages = watchConsole(context)
    context.on('request', (request) => {
      if (!request.url().startsWith(site.url)) foreign.push(request.url())
    })
    page = await load(context, '/')
  })
  afterAll(() => page.context().close())

  test('axe finds nothing', async () => {
    expect(await findViolations(page)).toEqual([])
  })

  test('shows a still frame with reduced motion', async () => {
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
  })

  test('above 1600 px headings and hero grow with the screen', async () => {
    onTestFinished(() => page.setViewportSize(DESKTOP.viewport))
    const measure = async (width: number) => {
      await page.setViewportSize({ width, height: 1440 })
      return page.evaluate(() =>
        ['h1', '#about h2', '.hero .lead', '.hero', '.wall'].map((part) => {
          const element = document.querySelector(part) as Element
          return /h\d$|lead/.test(part)
            ? Number.parseFloat(getComputedStyle(element).fontSize)
            : element.getBoundingClientRect().height
        }),
      )
    }
    const at1600 = await measure(1600)
    for (const [index, size] of (await measure(2560)).entries()) {
      expect(size / (at1600[index] ?? 0)).toBeGreaterThan(1.25)
    }
  })

  test('in forced colours every control has an edge', async () => {
    const findBare = () =>
      page.evaluate(() =>
        Array.from(document.querySelectorAll('.btn, button, summary, input:not(.trap)'))
          .filter((element) => element.checkVisibility())
          .filter((element) => getComputedStyle(element).outlineStyle === 'none')
          .map((element) => element.outerHTML.slice(0, 80)),
      )
    onTestFinished(() => page.emulateMedia({ forcedColors: null }))
    await page.emulateMedia({ forcedColors: 'active' })
    expect(await findBare()).toEqual([])
  })

  test('on paper there is neither header nor form', async () => {
    onTestFinished(() => page.emulateMedia({ media: null }))
    await page.emulateMedia({ media: 'print' })
    for (const part of ['.skip', '.top', '.art', '.news']) {
      expect(await page.locator(part).first().isVisible(), part).toBe(false)
    }
  })

  test('axe finds nothing in the header of a scrolled page', async () => {
    await page.evaluate(() => scrollTo(0, 2000))
    await page.locator('header.top[data-solid]').waitFor()
    await untilStill(page)
    expect(await findViolations(page, '.top')).toEqual([])
  })

  test('axe finds nothing in a refused form', async () => {
    await page.locator('form input[type=email]').fill('nada')
    await page.getByRole('button', { name: 'Inscrever' }).click()
    await page.getByText('Por favor, insira um e-mail válido.').waitFor()
    expect(await findViolations(page, 'footer')).toEqual([])
  })

  test('axe finds nothing while a document is open', async () => {
    await page.locator('[data-legal=privacidade]').click()
    await page.getByRole('dialog').waitFor()
    expect(await findViolations(page)).toEqual([])
  })

  test('sends no request to other sites, and logs nothing to the console', () => {
    expect(foreign).toEqual([])
    expect(messages).toEqual([])
  })
})

describe('on a phone', () => {
  let page: Page
  beforeAll(async () => {
    page = await open({ ...PHONE, viewport: { width: 375, height: 740 } })
  })
  afterAll(() => page.context().close())

  test('axe finds nothing', async () => {
    expect(await findViolations(page)).toEqual([])
  })

  test('text at 200 % is not cut', async () => {
    const setSize = (size: string) =>
      page.evaluate((fontSize) => {
        document.documentElement.style.fontSize = fontSize
      }, size)
    onTestFinished(async () => {
      await setSize('')
      await page.setViewportSize({ width: 375, height: 740 })
    })
    await setSize('200%')
    await atEachWidth(page, [320, 375], async (width) => {
      // Not the window's own width: a phone widens that to the content.
      const cut = await page.evaluate(
        (right) =>
          Array.from(document.querySelectorAll('header *, main *, footer *'))
            .filter((element) => element.closest('.art, .trap, svg, pre') === null)
            .filter((element) => element.getBoundingClientRect().right > right + 0.5)
            .map((element) => element.outerHTML.slice(0, 80)),
        width,
      )
      expect(cut).toEqual([])
    })
  })

  test('axe finds nothing while the menu is open', async () => {
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.locator('#menu').waitFor()
    await untilStill(page)
    expect(await findViolations(page)).toEqual([])
  })
})

test('in the hero only transform and opacity are animated, from the static position', async () => {
  const page = await visit({ ...DESKTOP, reducedMotion: 'no-preference' })
  await page.locator('.art.live').waitFor({ state: 'attached' })
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

test('without popovers the menu is closed, and its button opens it', async () => {
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
  await until(page, () => document.querySelector('.later') === null)
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

test('without JavaScript everything is there: text, menu, documents, links', async () => {
  const context = await browser.newContext({ ...PHONE, reducedMotion: 'reduce', javaScriptEnabled: false })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(site.url)
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

function untilStill(page: Page): Promise<unknown> {
  return until(page, () => document.getAnimations().every(({ playState }) => playState !== 'running'))
}
