import { conversionsOnSqlite } from '../conversions-on-sqlite.ts'
import type { Scenario } from '../scenario.ts'

const EVENTS = 400

export const conversionsKilled: Scenario = {
  name: `a server is killed (-9) among ${EVENTS} conversions`,
  promised:
    'Meta and webhook have every acknowledged event once by its ID; Google has none twice; every copy is accounted for',
  quick: true,
  run: (place) => conversionsOnSqlite(place, EVENTS, 1),
}
