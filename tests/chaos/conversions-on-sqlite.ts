import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SQLITE_FILE } from '#server/db/database.ts'
import { freePort } from '../support/free-port.ts'
import { conversionsUnderLoad } from './conversions-under-load.ts'
import type { Place } from './scenario.ts'
import { startReplica } from './start-replica.ts'

/** One server on SQLite, killed this many times while events arrive and leave. */
export async function conversionsOnSqlite(place: Place, events: number, kills: number): Promise<string> {
  const dataDir = join(place.folder, 'site')
  const port = String(await freePort())
  const start = (env: Record<string, string>) =>
    startReplica(place, { ...env, DATA_DIR: dataDir, PORT: port })
  let server: Awaited<ReturnType<typeof start>> | null = null
  return conversionsUnderLoad(place, {
    events,
    now: `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`,
    ask: async (statement) => {
      const database = new DatabaseSync(join(dataDir, SQLITE_FILE), { timeout: 5_000 })
      try {
        return database.prepare(statement).all() as Record<string, unknown>[]
      } finally {
        database.close()
      }
    },
    start: async ({ env, urls }) => {
      server = await start(env)
      urls.push(server.url)
    },
    breakAndMend: async ({ env, untilAcknowledged }) => {
      for (let kill = 1; kill <= kills; kill++) {
        await untilAcknowledged(kill / (kills + 1))
        server?.server.child.kill('SIGKILL')
        await server?.server.ended
        server = await start(env)
      }
    },
  })
}
