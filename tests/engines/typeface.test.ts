import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { BROWSERS, canBeHad, launchEngine } from '../support/browser-engines.ts'
import { EngineTable } from '../support/engine-table.ts'
import { FONT_WORLDS } from '../support/font-worlds.ts'
import { holdRequests } from '../support/hold-requests.ts'
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
const WAIT = { timeout: 20_000, interval: 50 }
const table = new EngineTable('typeface')

let site: TestApp
let boot: ReturnType<typeof holdRequests>
/** How often the server was asked for the typeface and has sent it. */
let sent = 0
beforeAll(async () => {
  site = await startTestApp({ listen: true })
  // So that there is a banner.
  await insertPixel(site.database.db, { type: 'custom', code: '<script>window.ran = true</script>' })
  await untilTags(site.url)
  boot = holdRequests(site.app.server, /^\/assets\/boot-/)
  site.app.server.on('request', ({ url }, response) => {
    if (url?.endsWith('.woff2')) response.once('finish', () => sent++)
  })
})
afterAll(() => site.close())

/** Each word in sight with the middle of its line, and how far the page is scrolled. */
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

/** Sections laid out, and the banner shown to whoever has not answered it. */
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

/** A browser that is busy may not have read its cache before the first frame. */
const MOST_VISITS = 8

async function visitInTypeface(visitor: Visitor, path: string): Promise<void> {
  for (let visits = 0; visits < MOST_VISITS; visits++) {
    await visitor.goto(`${site.url}/robots.txt`)
    if ((await visit(visitor, path)) === 'typeface') return
  }
  throw new Error(`none of ${MOST_VISITS} later visits was in the typeface`)
}

/** Nothing in sight moves between the first frame and the last thing that the page does by itself. */
async function visit(visitor: Visitor, path: string): Promise<'near' | 'typeface'> {
  boot.hold()
  await visitor.goto(site.url + path)
  const share = await visitor.evaluate(shareInTypeface)
  const before = await visitor.evaluate(wordsInSight)
  boot.release()
  await untilSettled(visitor)
  const after = await visitor.evaluate(wordsInSight)
  expect(after.map(([word]) => word)).toEqual(before.map(([word]) => word))
  expect(after.filter(([, at], index) => Math.abs(at - (before[index]?.[1] ?? 0)) > 1)).toEqual([])
  expect(await visitor.evaluate(widerBy)).toBe(0)
  expect(await visitor.evaluate(shareInTypeface)).toBe(share)
  return share > 0.5 ? 'typeface' : 'near'
}

for (const browser of BROWSERS) {
  describe.runIf(canBeHad(browser)).each(FONT_WORLDS)(`in ${browser} with the fonts of %s`, (fonts) => {
    let engine: BrowserEngine
    beforeAll(async () => {
      engine = await launchEngine(browser, { fonts })
    })
    afterAll(() => engine?.close())

    const places = SCREENS.flatMap((screen) => ['/', '/#niches'].map((path) => ({ screen, path })))
    test.each(places)('$screen at $path', async ({ screen: [width, height], path }) => {
      const visitor = await engine.newVisitor()
      try {
        await table.check(
          `${width} px, ${path === '/' ? 'at its top' : 'at an anchor'}`,
          browser,
          async () => {
            await visitor.resize(width, height)
            const sentBefore = sent
            expect(await visit(visitor, path)).toBe('near')
            await vi.waitFor(() => expect(sent).toBe(sentBefore + 1), WAIT)

            // WebKit caches nothing when it is driven: there an answer to the banner is the only sign of an earlier visit.
            if (browser === 'WebKit') {
              await visitor.goto(`${site.url}/robots.txt`)
              expect(await visit(visitor, path)).toBe('near')
            } else {
              await visitInTypeface(visitor, path)
            }
            await visitor.click('button', 'Rejeitar não essenciais')
            await visitInTypeface(visitor, path)
            // It came out of the cache each time.
            if (browser !== 'WebKit') expect(sent).toBe(sentBefore + 1)
          },
        )
      } finally {
        boot.release()
        await visitor.close()
      }
    })
  })
}

test('docs/engines.md says so', () => table.write())
