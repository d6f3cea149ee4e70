import { postgresUnderLoad } from '../postgres-under-load.ts'
import type { Scenario } from '../scenario.ts'

export const postgresImmediateStop: Scenario = {
  name: 'PostgreSQL stops as if it had crashed, and starts again',
  promised: 'the page never fails, calls get 503, everything recovers, nothing is lost',
  run: (place) =>
    postgresUnderLoad(place, ({ postgres, untilRefused }) => postgres.whileDown(untilRefused, 'immediate')),
}
