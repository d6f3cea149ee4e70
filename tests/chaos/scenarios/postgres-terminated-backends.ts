import { postgresUnderLoad } from '../postgres-under-load.ts'
import type { Scenario } from '../scenario.ts'

const ROUNDS = 20

export const postgresTerminatedBackends: Scenario = {
  name: `every connection is ended by pg_terminate_backend, ${ROUNDS} times`,
  promised: 'the page never fails, calls get 503, everything recovers, nothing is lost',
  quick: true,
  run: (place) =>
    postgresUnderLoad(place, async ({ ask, load }) => {
      for (let round = 0; round < ROUNDS; round++) {
        await ask('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()')
        await load.untilWorking()
      }
    }),
}
