import { setTimeout as wait } from 'node:timers/promises'
import { postgresUnderLoad } from '../postgres-under-load.ts'
import type { Scenario } from '../scenario.ts'
import { type SlowLink, startSlowLink } from '../slow-link.ts'

/** The deadline of a call, with a margin for a busy machine. */
const LONGEST_MS = 17_000
const SLOW_MS = 40_000

export const postgresSlow: Scenario = {
  name: 'the database takes 0.7 to 3 s for each round trip, for 40 s',
  promised:
    'the page never fails, every call succeeds or gets 503 within 14 s, refused ones are counted in the log, everything recovers, nothing is lost',
  run: async (place) => {
    let link: SlowLink | undefined
    let slowest = 0
    let lines = 0
    const happened = await postgresUnderLoad(
      place,
      async ({ load, replicas }) => {
        link?.delayBy(700, 3_000)
        await wait(SLOW_MS)
        link?.delayBy(0, 0)
        await load.untilWorking()
        slowest = load.slowestMs
        for (const { server } of replicas)
          lines += server.output().split('the database is unavailable').length - 1
        if (slowest > LONGEST_MS) throw new Error(`a call took ${Math.round(slowest)} ms`)
        // One line per process in ten seconds, from the first refusal to the recovery.
        const most = (replicas.length * (SLOW_MS + 60_000)) / 10_000
        if (lines > most) throw new Error(`${lines} lines of ${load.refused} refused calls`)
      },
      {
        connectThrough: async ({ socketDirectory }) => {
          link = await startSlowLink(place, socketDirectory)
          return `postgres://postgres@127.0.0.1:${link.port}/site`
        },
      },
    )
    return `${happened}; the slowest answer took ${(slowest / 1000).toFixed(1)} s, ${lines} lines in the log`
  },
}
