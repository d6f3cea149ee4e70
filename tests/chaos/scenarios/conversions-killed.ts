import { conversionsOnSqlite } from '../conversions-on-sqlite.ts'
import { CONVERSIONS_PROMISED } from '../conversions-under-load.ts'
import type { Scenario } from '../scenario.ts'

const EVENTS = 400

export const conversionsKilled: Scenario = {
  name: `a server is killed (-9) among ${EVENTS} conversions`,
  promised: CONVERSIONS_PROMISED,
  quick: true,
  run: (place) => conversionsOnSqlite(place, EVENTS, 1),
}
