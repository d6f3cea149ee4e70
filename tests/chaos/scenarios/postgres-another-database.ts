import { openDatabase } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'
import { postgresUnderLoad } from '../postgres-under-load.ts'
import { type Scenario, until } from '../scenario.ts'

export const postgresAnotherDatabase: Scenario = {
  name: 'an empty database answers at the same address, first without tables, then with a schema of its own',
  promised:
    'it is neither read nor written: calls get 503 until the right one is back, and the page stays the same',
  run: (place) =>
    postgresUnderLoad(place, async ({ postgres, ask, replicas, untilRefused }) => {
      const url = replicas[0]?.url ?? ''
      const before = await (await fetch(url)).text()
      const rename = async (from: string, to: string) => {
        const away = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${from}'`
        // The processes reconnect at once: until one statement falls between two of theirs.
        await until(`${from} is renamed`, () =>
          ask(away)
            .then(() => ask(`alter database ${from} rename to ${to}`))
            .then(
              () => true,
              () => false,
            ),
        )
      }
      await ask('create database other')
      await rename('site', 'ours')
      await rename('other', 'site')
      await untilRefused()
      const databaseUrl = `postgres://postgres@/site?host=${postgres.socketDirectory}`
      const other = openDatabase({ dataDir: place.folder, databaseUrl })
      const { applied } = await migrate(other.db)
      if (!applied.includes('0001-auth')) throw new Error('a replica has filled the empty database')
      await untilRefused()
      await untilRefused()
      const rows = await other.db.selectFrom('newsletter_subscriptions').select('id').execute()
      await other.close()
      if (rows.length > 0) throw new Error('a subscription went to the other database')
      if ((await (await fetch(url)).text()) !== before) throw new Error('the page has changed')
      await rename('site', 'other')
      await rename('ours', 'site')
    }),
}
