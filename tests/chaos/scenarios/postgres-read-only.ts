import { postgresUnderLoad } from '../postgres-under-load.ts'
import { type Scenario, until } from '../scenario.ts'

const END_EVERY_SECOND_CONNECTION = `select pg_terminate_backend(pid) from
  (select pid, row_number() over (order by pid) as place from pg_stat_activity where datname = 'site') as open
  where place % 2 = 0`

export const postgresReadOnly: Scenario = {
  name: 'half of the connections end, and for some seconds new ones can only read, as on a standby',
  promised:
    'the page never fails, calls get 503 at most while new connections can only read; afterwards not one is refused, nothing is lost',
  quick: true,
  run: (place) =>
    postgresUnderLoad(place, async ({ ask, load, untilRefused }) => {
      for (let round = 0; round < 3; round++) {
        await ask('alter database site set default_transaction_read_only = on')
        await ask(END_EVERY_SECOND_CONNECTION)
        await untilRefused()
        await ask('alter database site reset default_transaction_read_only')
        await load.untilWorking()
        const refused = load.refused
        const enough = load.acknowledged.size + 40
        await until('forty more subscriptions', () => load.acknowledged.size >= enough)
        if (load.refused > refused) throw new Error(`${load.refused - refused} calls were refused afterwards`)
      }
    }),
}
