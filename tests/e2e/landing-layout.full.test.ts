// Needs a browser: where things are, over widths and time.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { create } from 'qrcode'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { REGISTER_QR_PATH } from '#contract/site.ts'
import { DESKTOP, launchBrowser, PHONE, untilBooted } from '../support/browser.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { noteMovements, untilDrawn } from '../support/landing-visit.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'
import { untilTags } from '../support/until-tags.ts'

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

async function open(options: BrowserContextOptions, prepare?: () => void): Promise<Page> {
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  if (prepare) await context.addInitScript(prepare)
  const page = await context.newPage()
  await page.goto(site.url)
  return page
}

test.each([
  ['desktop', DESKTOP],
  ['low phone', { ...PHONE, viewport: { width: 390, height: 640 } }],
])('on a %s nothing moves if the page arrives in two pieces, wherever it is cut', async (_name, screen) => {
  const html = await (await fetch(site.url)).text()
  const start = html.indexOf('class="hero')
  const inHero = ['<h1>', '</span><span>', '</h1>', 'para quem', 'class="row"', '</a><a', '<ul']
  const cuts = [
    ...inHero.map((mark) => html.indexOf(mark, start)),
    ...Array.from(html.slice(start).matchAll(/<\/h2>|<footer/g), ({ index }) => start + index),
  ]
  expect(Math.min(...cuts)).toBeGreaterThan(start)
  expect(cuts.length).toBeGreaterThan(12)
  for (const cut of cuts) {
    const page = await openInTwo(screen, html, cut)
    const where = html.slice(cut - 20, cut + 20)
    expect(await page.evaluate(() => globalThis.movements), where).toEqual([])
    await page.context().close()
  }
})

/** The second piece comes once the first has been drawn. */
async function openInTwo(screen: BrowserContextOptions, html: string, cut: number): Promise<Page> {
  let sendRest = () => {}
  const slow = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').write(html.slice(0, cut))
    sendRest = () => response.end(html.slice(cut))
  })
  await new Promise<void>((listening) => slow.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void slow.close())
  const context = await browser.newContext(screen)
  await noteMovements(context)
  const page = await context.newPage()
  // Only the document is slow.
  await page.route(/\/assets\/|favicon/, (route) => route.abort())
  await page.goto(`http://127.0.0.1:${(slow.address() as AddressInfo).port}/`, { waitUntil: 'commit' })
  await until(page, () => performance.getEntriesByName('first-contentful-paint').length > 0)
  await untilDrawn(page)
  sendRest()
  await page.waitForLoadState()
  await untilDrawn(page)
  return page
}

const WIDTHS = [320, 360, 375, 430, 600, 768, 999, 1000, 1024, 1100, 1200, 1280, 1366, 1440, 1600, 1920, 2560]
/** Of the twelve seconds that a payment takes. */
const STEPS = 48

test('no text overlaps a payment at any moment, nor another text, from 320 to 2560 px', async () => {
  const page = await open({ ...DESKTOP, reducedMotion: 'no-preference' })
  await page.locator('.art.live').waitFor({ state: 'attached' })
  await until(page, () => document.querySelector('.later') === null)
  for (const width of WIDTHS) {
    for (const height of width < 1000 ? [800] : [720, 1080]) {
      await page.setViewportSize({ width, height })
      expect(await page.evaluate(findOverlaps, STEPS), `${width} × ${height}`).toEqual([])
    }
  }
})

/** Pairs of what overlaps: each line of text with the visible part of each payment, and with every other line. */
function findOverlaps(steps: number): string[] {
  type Box = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'> & { name: string }
  const SLACK = 1
  const overlap = (a: Box, b: Box) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > SLACK &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > SLACK
  const lines: (Box & { block: Element | null })[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement
    if (!node.textContent?.trim() || !parent?.checkVisibility()) continue
    if (parent.closest('.art, svg, .skip, .top, .said, script, style') !== null) continue
    range.selectNodeContents(node)
    // The height of the letters: lines of a heading are closer than their boxes.
    const letters = Number.parseFloat(getComputedStyle(parent).fontSize) * 0.8
    for (const { left, right, top, bottom, width } of range.getClientRects()) {
      const middle = (top + bottom) / 2
      const box = { left, right, top: middle - letters / 2, bottom: middle + letters / 2 }
      if (width > 0)
        lines.push({
          ...box,
          name: node.textContent.trim().slice(0, 40),
          block: parent.closest('p, li, h1, h2, h3, a, dt, dd, summary, pre'),
        })
    }
  }
  const found = new Set<string>()
  for (const [at, line] of lines.entries())
    for (const other of lines.slice(at + 1))
      if (line.block !== other.block && overlap(line, other)) found.add(`${line.name} | ${other.name}`)
  const chips = Array.from(document.querySelectorAll('.chip'))
  const animations = chips.flatMap((chip) => chip.getAnimations())
  for (const animation of animations) animation.pause()
  for (let step = 0; step < steps; step++) {
    for (const animation of animations) animation.currentTime = (12_000 / steps) * step
    for (const chip of chips) {
      const box = chip.getBoundingClientRect()
      const zone = chip.parentElement?.getBoundingClientRect() ?? box
      const seen = {
        name: `payment at ${step}`,
        left: Math.max(box.left, zone.left),
        right: Math.min(box.right, zone.right),
        top: Math.max(box.top, zone.top),
        bottom: Math.min(box.bottom, zone.bottom),
      }
      if (seen.left >= seen.right) continue
      for (const line of lines) if (overlap(line, seen)) found.add(`${line.name} | ${seen.name}`)
    }
  }
  for (const animation of animations) animation.play()
  return [...found]
}

describe('the menu', () => {
  test('the page stays where it is while the menu is open', async () => {
    const page = await open(PHONE)
    await untilBooted(page)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.locator('#menu').waitFor()
    await page.mouse.move(180, 400)
    await page.mouse.wheel(0, 600)
    await untilDrawn(page)
    expect(
      await page.evaluate(() => [scrollY, getComputedStyle(document.documentElement).overflowY]),
    ).toEqual([0, 'hidden'])
  })

  test.each([320, 375])('names the login once while it is open at %i px', async (width) => {
    const page = await open({ ...PHONE, viewport: { width, height: 667 } })
    await untilBooted(page)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.locator('#menu').waitFor()
    expect(await page.getByRole('link', { name: 'Acessar Conta' }).count()).toBe(1)
  })

  test('fits on the smallest phone', async () => {
    const page = await open({ ...PHONE, viewport: { width: 320, height: 568 } })
    await untilBooted(page)
    await page.getByRole('button', { name: 'Menu' }).click()
    const menu = page.locator('#menu')
    await menu.waitFor()
    expect(await menu.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0)
  })

  test('works without the boot script, like the header past 50 px', async () => {
    const context = await browser.newContext({ ...PHONE, reducedMotion: 'no-preference' })
    onTestFinished(() => context.close())
    await context.route('**/assets/boot-*.js', (route) => route.abort())
    const page = await context.newPage()
    await page.goto(site.url)
    const colour = () => page.locator('.top').evaluate((header) => getComputedStyle(header).backgroundColor)
    expect(await colour()).toBe('rgba(0, 0, 0, 0)')
    await page.evaluate(() => scrollTo(0, 51))
    await expect.poll(colour).toBe('rgb(255, 255, 255)')
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.locator('#menu').getByRole('link', { name: 'Nichos' }).waitFor()
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.locator('#menu').waitFor({ state: 'hidden' })
  })
})

test.each([
  [
    'constructable style sheets',
    () => {
      Object.assign(globalThis, { CSSStyleSheet: undefined })
    },
  ],
  [
    'IntersectionObserver',
    () => {
      Object.assign(globalThis, { IntersectionObserver: undefined })
    },
  ],
  [
    'ResizeObserver',
    () => {
      Object.assign(globalThis, { ResizeObserver: undefined })
    },
  ],
])('without %s the other steps of the boot script run', async (_name, hide) => {
  const page = await open(PHONE, hide)
  await untilBooted(page)
  await until(page, () => document.querySelector('.later') === null)
  await page.locator('.art.live').waitFor({ state: 'attached' })
  expect(await page.locator('link[rel=manifest]').count()).toBe(1)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.locator('#menu').getByRole('link', { name: 'Nichos' }).click()
  await page.locator('#menu').waitFor({ state: 'hidden' })
  await page.locator('[data-preferences]').click()
  await page.getByRole('dialog').waitFor()
})

test('with text at 200 % nothing in the header is cut', async () => {
  const page = await open(PHONE)
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%'
  })
  for (const width of [320, 375, 430, 768]) {
    await page.setViewportSize({ width, height: 800 })
    const cut = await page.evaluate(() => {
      const header = document.querySelector('.top')?.getBoundingClientRect() ?? new DOMRect()
      return Array.from(document.querySelectorAll('.top :is(a, button)'))
        .map((element) => ({ name: element.textContent, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0)
        .filter(({ box }) => box.top < 0 || box.bottom > header.bottom || box.right > innerWidth)
        .map(({ name }) => name)
    })
    expect(cut, `${width}`).toEqual([])
  }
})

test('on paper all text is dark enough to read', async () => {
  const page = await open({ ...DESKTOP, reducedMotion: 'reduce' })
  await page.emulateMedia({ media: 'print' })
  const pale = await page.evaluate(() => {
    const light = (value: number) =>
      value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
    const contrast = (colour: string) => {
      const [r = 0, g = 0, b = 0] = (colour.match(/\d+/g) ?? []).map(Number)
      return 1.05 / (0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b) + 0.05)
    }
    return Array.from(document.querySelectorAll('h1, h2, h3, p, li, a, dt, dd, summary, pre, pre *'))
      .filter((element) => element.checkVisibility() && element.textContent?.trim())
      .filter((element) => contrast(getComputedStyle(element).color) < 7)
      .map((element) => element.textContent)
  })
  expect(pale).toEqual([])
})

test('the QR code is the address of the registration', async () => {
  const page = await open(DESKTOP)
  const { size, data } = create(site.config.site.registerUrl, { errorCorrectionLevel: 'L' }).modules
  const modules = await page.evaluate(
    async ({ path, count }) => {
      const image = new Image()
      image.src = path
      await image.decode()
      const canvas = Object.assign(document.createElement('canvas'), {
        width: image.width,
        height: image.height,
      })
      const context = canvas.getContext('2d') as CanvasRenderingContext2D
      context.drawImage(image, 0, 0)
      const step = image.width / count
      return Array.from({ length: count * count }, (_, at) => {
        const [x, y] = [((at % count) + 0.5) * step, (Math.floor(at / count) + 0.5) * step]
        return (context.getImageData(x, y, 1, 1).data[0] ?? 255) < 128 ? 1 : 0
      })
    },
    { path: REGISTER_QR_PATH, count: size },
  )
  expect(modules).toEqual(Array.from(data))
  await page.locator('#mobile img').scrollIntoViewIfNeeded()
  await until(page, () => (document.querySelector<HTMLImageElement>('#mobile img')?.naturalWidth ?? 0) > 0)
})

describe('consent', () => {
  beforeAll(async () => {
    await insertPixel(site.database.db, { type: 'custom', code: '<script>window.ran = true</script>' })
    await untilTags(site.url)
  })

  test.each([
    [320, 568],
    [360, 640],
    [375, 667],
  ])('the banner leaves both buttons of the hero free at %i × %i', async (width, height) => {
    const page = await open({ ...PHONE, viewport: { width, height } })
    await page.getByRole('button', { name: 'Aceitar todos' }).waitFor()
    const gap = await page.evaluate(() => {
      const buttons = Array.from(document.querySelectorAll('.hero .btn'))
      const end = Math.max(...buttons.map((button) => button.getBoundingClientRect().bottom))
      return (document.querySelector('.consent')?.getBoundingClientRect().top ?? Number.NaN) - end
    })
    expect(gap).toBeGreaterThanOrEqual(0)
  })

  test('a legal page leads to the preferences that it names', async () => {
    const page = await open(DESKTOP)
    await page.goto(`${site.url}/cookies`)
    await page.getByRole('contentinfo').getByRole('link', { name: 'Preferências de cookies' }).click()
    await page.getByRole('dialog', { name: 'Preferências de cookies' }).waitFor()
  })
})
