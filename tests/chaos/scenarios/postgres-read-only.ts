import { postgresUnderLoad } from '../postgres-under-load.ts'
import { type Scenario, until } from '../scenario.ts'

/** While a process holds one connection that writes, its calls wait for it and none is refused. */
const END_EVERY_CONNECTION =
  "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'site' and pid <> pg_backend_pid()"

export const postgresReadOnly: Scenario = {
  name: 'every connection ends, and for some seconds new ones can only read, as on a standby',
  promised:
    'the page never fails, calls get 503 at most while new connections can only read; once both processes are ready again not one is refused, nothing is lost',
  quick: true,
  run: (place) =>
    postgresUnderLoad(place, async ({ ask, load, replicas, untilRefused }) => {
      for (let round = 0; round < 3; round++) {
        await ask('alter database site set default_transaction_read_only = on')
        await ask(END_EVERY_CONNECTION)
        await untilRefused()
        await ask('alter database site reset default_transaction_read_only')
        for (const { url } of replicas)
          await until('it is ready again', async () => (await fetch(`${url}/readyz`)).status === 200)
        await load.untilWorking()
        const refused = load.refused
        const enough = load.acknowledged.size + 40
        await until('forty more subscriptions', () => load.acknowledged.size >= enough)
        if (load.refused > refused)
          throw new Error(`${load.refused - refused} calls were refused afterwards, the last: ${load.last}`)
      }
    }),
}
