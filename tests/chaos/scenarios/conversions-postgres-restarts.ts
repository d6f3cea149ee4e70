import { conversionsOnPostgres } from '../conversions-on-postgres.ts'
import { CONVERSIONS_PROMISED } from '../conversions-under-load.ts'
import type { Scenario } from '../scenario.ts'

const EVENTS = 300

export const conversionsPostgresRestarts: Scenario = {
  name: `PostgreSQL restarts and crashes, and one of three replicas is killed (-9), among ${EVENTS} conversions`,
  promised: CONVERSIONS_PROMISED,
  quick: true,
  run: (place) => conversionsOnPostgres(place, EVENTS),
}
