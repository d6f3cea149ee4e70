// Needs a browser: each engine lays out its own lines.
import { readFileSync } from 'node:fs'
import type { RequestListener, Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { BROWSERS, canBeHad, launchEngine } from '../support/browser-engines.ts'
import { EngineTable } from '../support/engine-table.ts'
import { FONT_WORLDS } from '../support/font-worlds.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { shareInTypeface } from '../support/landing-visit.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { untilTags } from '../support/until-tags.ts'
import type { BrowserEngine, Visitor } from '../support/visitor.ts'

const SCREENS = [
  [320, 640],
  [375, 740],
  [768, 1024],
  [1440, 900],
  [1920, 1080],
] as const
const WAIT = { timeout: 60_000, interval: 50 }
const table = new EngineTable('typeface')

let site: TestApp
/** How often the server sent the typeface. */
let sent = 0
beforeAll(async () => {
  site = await startTestApp({ listen: true })
  // So that there is a banner.
  await insertPixel(site.database.db, { type: 'custom', code: '<script>window.ran = true</script>' })
  await untilTags(site.url)
  measureBeforeBoot(site.app.server)
  site.app.server.on('request', ({ url }, response) => {
    if (url?.endsWith('.woff2')) response.once('finish', () => sent++)
  })
})
afterAll(() => site.close())

declare global {
  var beforeBoot: { share: number; words: [string, number][] }
}

/** Once the typeface is there, if this visit requested it. */
async function untilFonts(): Promise<void> {
  while ([...document.fonts].some(({ status }) => status === 'loading'))
    await new Promise((resolve) => requestAnimationFrame(resolve))
}

/**
 * The boot script measures the page before it changes anything. It is not held: the load event, which the driver waits
 * for, waits for the boot script where it was requested before the typeface had arrived. WebKit requests the typeface
 * at each visit, because it caches nothing when it is automated.
 */
function measureBeforeBoot(server: Server): void {
  const listeners = server.listeners('request') as RequestListener[]
  const measure = `await (${untilFonts})()
globalThis.beforeBoot = { share: (${shareInTypeface})(), words: (${wordsInSight})() }`
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const { url = '' } = request
    if (/^\/assets\/boot-[^/]+\.js$/.test(url))
      response
        .writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'max-age=3600' })
        .end(`${measure}\n${readFileSync(`dist/client${url}`, 'utf8')}`)
    else for (const listener of listeners) listener.call(server, request, response)
  })
}

/** Each visible word with the middle of its line, and the scroll position. */
function wordsInSight(): [string, number][] {
  const found: [string, number][] = [['scrolled', Math.round(scrollY)]]
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (text.parentElement?.closest('svg, .art, script, .consent, .said') !== null) continue
    for (const { 0: word, index } of (text as Text).data.matchAll(/\S+/g)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      const line = range.getClientRects()[0]
      if (!line || line.top < 0 || line.bottom > innerHeight) continue
      found.push([word, Math.round((line.top + line.bottom) / 2)])
    }
  }
  return found
}

const widerBy = () => document.documentElement.scrollWidth - document.documentElement.clientWidth

/** Sections laid out, and the banner shown to visitors who have not answered it. */
const untilSettled = (visitor: Visitor) =>
  vi.waitFor(
    async () =>
      expect(
        await visitor.evaluate(
          () =>
            document.querySelector('a[data-legal][role=button]') !== null &&
            document.querySelector('.later') === null &&
            document.querySelector<HTMLElement>('.consent')?.hidden ===
              document.cookie.includes('portico_consent'),
        ),
      ).toBe(true),
    WAIT,
  )

/** Nothing visible moves between the first frame and the last automatic change. */
async function visit(visitor: Visitor, path: string): Promise<'near' | 'typeface'> {
  await visitor.goto(site.url + path)
  await untilSettled(visitor)
  const { share, words: before } = await visitor.evaluate(() => globalThis.beforeBoot)
  const after = await visitor.evaluate(wordsInSight)
  expect(after.map(([word]) => word)).toEqual(before.map(([word]) => word))
  expect(after.filter(([, at], index) => Math.abs(at - (before[index]?.[1] ?? 0)) > 1)).toEqual([])
  expect(await visitor.evaluate(widerBy)).toBe(0)
  expect(await visitor.evaluate(shareInTypeface)).toBe(share)
  return share > 0.5 ? 'typeface' : 'near'
}

async function visitAgain(visitor: Visitor, path: string): Promise<'near' | 'typeface'> {
  await visitor.goto(`${site.url}/robots.txt`)
  return visit(visitor, path)
}

const PLACES = SCREENS.flatMap((screen) => ['/', '/#niches'].map((path) => ({ screen, path })))

for (const browser of BROWSERS) {
  describe.runIf(canBeHad(browser)).each(FONT_WORLDS)(`in ${browser} with the fonts of %s`, (fonts) => {
    let engine: BrowserEngine
    beforeAll(async () => {
      engine = await launchEngine(browser, { fonts })
    })
    afterAll(() => engine?.close())
    // Each place with one set of fonts: Chromium tries every pair in `landing-typeface.full.test.ts`.
    const own = PLACES.filter((_, index) => FONT_WORLDS[index % FONT_WORLDS.length] === fonts)
    test.each(own)('$screen at $path', ({ screen, path }) =>
      table.check(`${screen[0]} px, ${path === '/' ? 'at its top' : 'at an anchor'}`, browser, () =>
        visitThrice(screen, path),
      ),
    )

    async function visitThrice([width, height]: (typeof SCREENS)[number], path: string): Promise<void> {
      const visitor = await engine.newVisitor()
      try {
        await visitor.resize(width, height)
        const sentBefore = sent
        expect(await visit(visitor, path)).toBe('near')
        await vi.waitFor(() => expect(sent).toBeGreaterThan(sentBefore), WAIT)

        // A busy browser may not have read its cache before the first frame, and WebKit caches nothing when it is
        // automated. Nothing moves in either case.
        await visitAgain(visitor, path)
        await visitor.click('button', 'Rejeitar não essenciais')
        await visitAgain(visitor, path)
      } finally {
        await visitor.close()
      }
    }

    if (browser !== 'WebKit')
      test('a later visit uses it', async () => {
        const visitor = await engine.newVisitor()
        await visitor.goto(site.url)
        await untilSettled(visitor)
        await visitor.click('button', 'Rejeitar não essenciais')
        await expect
          .poll(
            async () => {
              await visitor.goto(`${site.url}/robots.txt`)
              await visitor.goto(site.url)
              await untilSettled(visitor)
              return visitor.evaluate(shareInTypeface)
            },
            { timeout: 120_000 },
          )
          .toBeGreaterThan(0.5)
        await visitor.close()
      })
  })
}

test('docs/reports/engines.md says so', () => table.write())
