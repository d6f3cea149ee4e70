import pg from 'pg'
import { findPostgres } from '../../support/find-postgres.ts'
import { startPostgres } from '../../support/start-postgres.ts'
import { conversionsUnderLoad } from '../conversions-under-load.ts'
import type { Scenario } from '../scenario.ts'
import { startReplica } from '../start-replica.ts'

const EVENTS = 10_000

export const conversionsPostgres: Scenario = {
  name: `eight at once tell two replicas (a third comes and is killed) of ${EVENTS} conversions; vendors cut, fail and hang, PostgreSQL restarts and crashes`,
  promised:
    'Meta and webhook have every acknowledged event once by its ID; Google has none twice; every copy is accounted for',
  run: async (place) => {
    const postgres = await startPostgres(findPostgres(), [])
    place.atEnd(() => postgres.stop())
    const askIn = async (database: string, statement: string) => {
      const client = new pg.Client({ host: postgres.socketDirectory, user: 'postgres', database })
      await client.connect()
      try {
        return (await client.query(statement)).rows as Record<string, unknown>[]
      } finally {
        await client.end()
      }
    }
    await askIn('postgres', 'create database site')
    const databaseUrl = `postgres://postgres@/site?host=${postgres.socketDirectory}`
    return conversionsUnderLoad(place, {
      events: EVENTS,
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
  },
}
