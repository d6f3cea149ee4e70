import { setTimeout as wait } from 'node:timers/promises'
import { postgresUnderLoad } from '../postgres-under-load.ts'
import type { Scenario } from '../scenario.ts'

const FROZEN_MS = 20_000

export const postgresFrozen: Scenario = {
  name: 'PostgreSQL and its processes are stopped (SIGSTOP) for 20 s',
  promised: 'the page never fails, calls get 503, everything recovers, nothing is lost',
  run: (place) =>
    postgresUnderLoad(place, ({ postgres, untilRefused }) =>
      postgres.whileFrozen(async () => {
        await Promise.all([wait(FROZEN_MS), untilRefused()])
      }),
    ),
}
