import { conversionsOnSqlite } from '../conversions-on-sqlite.ts'
import { CONVERSIONS_PROMISED } from '../conversions-under-load.ts'
import type { Scenario } from '../scenario.ts'

const EVENTS = 10_000
const KILLS = 6

export const conversionsSqlite: Scenario = {
  name: `eight clients tell a server on the embedded database about ${EVENTS} conversions; vendors cut, fail and hang, and it is killed (-9) ${KILLS} times`,
  promised: CONVERSIONS_PROMISED,
  run: (place) => conversionsOnSqlite(place, EVENTS, KILLS),
}
