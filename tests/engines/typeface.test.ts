import { availableParallelism, loadavg } from 'node:os'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { BROWSERS, canBeHad, launchEngine } from '../support/browser-engines.ts'
import { EngineTable } from '../support/engine-table.ts'
import { FONT_WORLDS } from '../support/font-worlds.ts'
import { holdRequests } from '../support/hold-requests.ts'
import { insertPixel } from '../support/insert-pixel.ts'
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
/** From the boot script's arrival, which is asked for at the first frame; longer where others wait for each core. */
const soonMs = () => 1_000 * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())
const table = new EngineTable('typeface')

let site: TestApp
let boot: ReturnType<typeof holdRequests>
beforeAll(async () => {
  site = await startTestApp({ listen: true })
  // So that there is a banner.
  await insertPixel(site.database.db, { type: 'custom', code: '<script>window.ran = true</script>' })
  await untilTags(site.url)
  boot = holdRequests(site.app.server, /^\/assets\/boot-/)
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
      // WebKit begins with an empty box where a line was broken by hand.
      const line = Array.from(range.getClientRects()).find(({ width }) => width > 0)
      if (!line || line.top < 0 || line.bottom > innerHeight) continue
      found.push([word, Math.round((line.top + line.bottom) / 2)])
    }
  }
  return found
}

function noteWhenWorn(): void {
  new MutationObserver(() => {
    if (document.documentElement.className === 'typeset') globalThis.typefaceWorn ??= performance.now()
  }).observe(document.documentElement, { attributes: true, attributeFilter: ['class'] })
}

function waitedForTypeface(): number {
  const boot = performance.getEntriesByType('resource').find(({ name }) => name.includes('/assets/boot-'))
  return (globalThis.typefaceWorn ?? Number.NaN) - (boot as PerformanceResourceTiming).responseEnd
}

const state = () => ({
  typeset: document.documentElement.className === 'typeset',
  held: document.querySelectorAll('main [style*=letter-spacing]').length > 0,
  widerBy: document.documentElement.scrollWidth - document.documentElement.clientWidth,
})

/** The banner comes once the question of the typeface is settled. */
const untilSettled = (visitor: Visitor) =>
  vi.waitFor(
    async () =>
      expect(
        await visitor.evaluate(
          () =>
            document.querySelector<HTMLElement>('.consent')?.hidden === false &&
            document.querySelector('.later') === null,
        ),
      ).toBe(true),
    WAIT,
  )

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
            boot.hold()
            await visitor.goto(site.url + path)
            const before = await visitor.evaluate(wordsInSight)
            await visitor.evaluate(noteWhenWorn)
            boot.release()
            await untilSettled(visitor)
            expect(await visitor.evaluate(state)).toEqual({ typeset: true, held: true, widerBy: 0 })
            expect(await visitor.evaluate(waitedForTypeface)).toBeLessThan(soonMs())
            const after = await visitor.evaluate(wordsInSight)
            expect(after.map(([word]) => word)).toEqual(before.map(([word]) => word))
            const moved = after.filter(([, at], index) => Math.abs(at - (before[index]?.[1] ?? 0)) > 2)
            expect(moved).toEqual([])

            // On the next visit it is there from the first frame on, so nothing is held. WebKit keeps no document that has
            // a Cross-Origin-Opener-Policy: there the next visit is like the first.
            await visitor.goto(`${site.url}/cookies`)
            await visitor.goto(site.url + path)
            await untilSettled(visitor)
            expect(await visitor.evaluate(state)).toEqual({
              typeset: true,
              held: browser === 'WebKit',
              widerBy: 0,
            })
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
