import { postgresUnderLoad } from '../postgres-under-load.ts'
import type { Scenario } from '../scenario.ts'

export const postgresRestart: Scenario = {
  name: 'PostgreSQL restarts under load, three times',
  promised: 'the page never fails, calls get 503, everything recovers, nothing is lost',
  quick: true,
  run: (place) =>
    postgresUnderLoad(place, async ({ postgres, load, untilRefused }) => {
      for (let round = 0; round < 3; round++) {
        await postgres.whileDown(untilRefused)
        await load.untilWorking()
      }
    }),
}
