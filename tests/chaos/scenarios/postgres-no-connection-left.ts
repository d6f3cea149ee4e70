import pg from 'pg'
import { postgresUnderLoad } from '../postgres-under-load.ts'
import type { Scenario } from '../scenario.ts'

export const postgresNoConnectionLeft: Scenario = {
  name: 'another program takes every connection of PostgreSQL',
  promised: 'the page never fails, calls get 503, everything recovers, nothing is lost',
  run: (place) =>
    postgresUnderLoad(
      place,
      async ({ postgres, ask, untilRefused }) => {
        const held: pg.Client[] = []
        const take = async () => {
          const client = new pg.Client({ host: postgres.socketDirectory, user: 'postgres' })
          client.on('error', () => {})
          await client.connect()
          held.push(client)
        }
        await take()
        await ask(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'portico%'`,
        )
        // The last connection is taken once the next one is refused.
        const takeAll = async () => {
          for (;;) await take()
        }
        await takeAll().catch(() => {})
        // The processes win a few back: end those from one that we hold.
        const [first] = held
        await first?.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'portico%'`,
        )
        await takeAll().catch(() => {})
        await untilRefused()
        await Promise.all(held.map((client) => client.end()))
      },
      { settings: ['max_connections=30'] },
    ),
}
