import { conversionsOnSqlite } from '../conversions-on-sqlite.ts'
import type { Scenario } from '../scenario.ts'

const EVENTS = 10_000
const KILLS = 6

export const conversionsSqlite: Scenario = {
  name: `eight at once tell a server on the embedded database of ${EVENTS} conversions; vendors cut, fail and hang, and it is killed (-9) ${KILLS} times`,
  promised:
    'Meta and webhook have every acknowledged event once by its ID; Google has none twice; every copy is accounted for',
  run: (place) => conversionsOnSqlite(place, EVENTS, KILLS),
}
