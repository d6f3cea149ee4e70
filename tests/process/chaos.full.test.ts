import { afterEach, expect, test } from 'vitest'
import { loadScenarios } from '../chaos/load-scenarios.ts'
import { Place } from '../chaos/scenario.ts'

const QUICK_MS = 300_000

let place: Place
afterEach(() => place.leave(), QUICK_MS)

const quick = (await loadScenarios()).map(([, scenario]) => scenario).filter((scenario) => scenario.quick)

test.each(quick)(
  '$name: $promised',
  async (scenario) => {
    // Other tests use the machine too; `npm run chaos` runs the same scenarios under five times the load.
    place = new Place({ pauseMs: 100 })
    expect(scenario.obstacle?.() ?? null).toBeNull()
    console.info(`${scenario.name}: ${await scenario.run(place)}`)
  },
  QUICK_MS,
)
