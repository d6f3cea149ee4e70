import { conversionsOnPostgres } from '../conversions-on-postgres.ts'
import { CONVERSIONS_PROMISED } from '../conversions-under-load.ts'
import type { Scenario } from '../scenario.ts'

const EVENTS = 10_000

export const conversionsPostgres: Scenario = {
  name: `eight clients tell two replicas (a third starts and is killed) about ${EVENTS} conversions; vendors cut, fail and hang, PostgreSQL restarts and crashes`,
  promised: CONVERSIONS_PROMISED,
  run: (place) => conversionsOnPostgres(place, EVENTS),
}
