// Needs a browser: it is about Firefox and WebKit.
import { afterAll, beforeAll, describe, test } from 'vitest'
import { BROWSERS, canBeHad } from '../support/browser-engines.ts'
import { SHORT_JOURNEYS } from '../support/engine-journeys.ts'
import { type Journeys, startJourneys } from '../support/start-journeys.ts'

/**
 * The short set. Chromium runs these journeys in the other files, in more detail; the whole table of
 * docs/reports/engines.md is `npm run engines`.
 */
for (const browser of BROWSERS.filter((name) => name !== 'Chromium')) {
  describe.runIf(canBeHad(browser))(`in ${browser}`, () => {
    let journeys: Journeys
    beforeAll(async () => {
      journeys = await startJourneys(browser)
    })
    afterAll(() => journeys?.close())

    test.each(Object.entries(SHORT_JOURNEYS))('%s', (_name, journey) => journeys.run(journey))
  })
}
