import { assertKept, kill, rowsOf, startWriting } from '../acknowledged-rows.ts'
import type { Scenario } from '../scenario.ts'

const ROUNDS = 100

export const sqliteKills: Scenario = {
  name: `${ROUNDS} times kill -9 in the middle of writing to the embedded database`,
  promised: 'it always opens, and no acknowledged row is lost',
  run: async (place) => {
    const acknowledged = new Set<string>()
    for (let round = 0; round < ROUNDS; round++) {
      const writer = await startWriting(place.folder)
      await kill(writer)
      for (const id of rowsOf(writer)) acknowledged.add(id)
      await assertKept(place.folder, acknowledged)
    }
    return `${ROUNDS} kills, ${acknowledged.size} rows acknowledged, 0 lost`
  },
}
