// Needs a browser: journeys of the page and the dashboard in each engine.
import { afterAll, beforeAll, describe, test } from 'vitest'
import { BROWSERS, canBeHad } from '../support/browser-engines.ts'
import { EngineTable } from '../support/engine-table.ts'
import { JOURNEYS } from '../support/more-journeys.ts'
import { type Journeys, startJourneys } from '../support/start-journeys.ts'

const table = new EngineTable('journeys')

for (const browser of BROWSERS) {
  describe.runIf(canBeHad(browser))(`in ${browser}`, () => {
    let journeys: Journeys
    beforeAll(async () => {
      journeys = await startJourneys(browser)
    })
    afterAll(() => journeys?.close())

    test.each(Object.entries(JOURNEYS))('%s', (name, journey) =>
      table.check(name, browser, () => journeys.run(journey)),
    )
  })
}

test('docs/reports/engines.md says so', () => table.write())
