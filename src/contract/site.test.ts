import { expect, test, vi } from 'vitest'
import { siteDate, startOfSiteDay } from './site.ts'

const EVENING = Date.parse('2026-11-16T02:59:59Z')

test('uses dates and day starts of the site', () => {
  expect(siteDate(EVENING)).toBe('2026-11-15')
  expect(siteDate(EVENING + 1000)).toBe('2026-11-16')
  expect(new Date(startOfSiteDay(EVENING)).toISOString()).toBe('2026-11-15T03:00:00.000Z')
})

test.each(['en-CA', 'en-GB', 'en-US', 'de', 'hu', 'ja'])(
  'whatever order a browser uses for the locale, here that of %s',
  async (order) => {
    class Format extends Intl.DateTimeFormat {
      constructor(_locale: string, options: Intl.DateTimeFormatOptions) {
        super(order, options)
      }
    }
    vi.stubGlobal('Intl', { DateTimeFormat: Format })
    const copy = `./site.ts?order=${order}`
    const { siteDate: dateThere } = (await import(copy)) as { siteDate: typeof siteDate }
    vi.unstubAllGlobals()
    expect(dateThere(EVENING)).toBe('2026-11-15')
  },
)
