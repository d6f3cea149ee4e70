import { askPostgres } from '../support/ask-postgres.ts'
import { findPostgres } from '../support/find-postgres.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { conversionsUnderLoad } from './conversions-under-load.ts'
import type { Place } from './scenario.ts'
import { startReplica } from './start-replica.ts'

/** Two servers on PostgreSQL, which restarts and crashes; a third server starts and is killed. */
export async function conversionsOnPostgres(place: Place, events: number): Promise<string> {
  const postgres = await startPostgres(findPostgres(), [])
  place.atEnd(() => postgres.stop())
  const askIn = (database: string, statement: string) =>
    askPostgres(postgres.socketDirectory, database, statement)
  await askIn('postgres', 'create database site')
  const databaseUrl = `postgres://postgres@/site?host=${postgres.socketDirectory}`
  return conversionsUnderLoad(place, {
    events,
    now: 'now()',
    ask: (statement) => askIn('site', statement),
    start: async ({ env, urls }) => {
      for (const _ of [1, 2])
        urls.push((await startReplica(place, { ...env, DATABASE_URL: databaseUrl })).url)
    },
    breakAndMend: async ({ env, urls, untilAcknowledged }) => {
      const third = await startReplica(place, { ...env, DATABASE_URL: databaseUrl })
      urls.push(third.url)
      await untilAcknowledged(0.3)
      await postgres.whileDown(async () => {})
      await untilAcknowledged(0.5)
      third.server.child.kill('SIGKILL')
      await third.server.ended
      urls.pop()
      await untilAcknowledged(0.7)
      await postgres.whileDown(async () => {}, 'immediate')
    },
  })
}
