import { postgresUnderLoad } from '../postgres-under-load.ts'
import { type Scenario, until } from '../scenario.ts'
import { type SilentProxy, startSilentProxy } from '../silent-proxy.ts'
import { startReplica } from '../start-replica.ts'

/** The deadline of stopping with a margin for a busy machine, far below the former 30 s. */
const END_MS = 20_000

export const postgresSilentHost: Scenario = {
  name: "the database's host stops answering: no response, no refusal, no close",
  promised:
    'the page never fails, calls get 503, /readyz says so, SIGTERM ends the process in time, a second one at once, all recovers',
  quick: true,
  run: async (place) => {
    let proxy: SilentProxy | undefined
    let databaseUrl = ''
    const happened = await postgresUnderLoad(
      place,
      async ({ replicas, untilRefused }) => {
        const env = { DATABASE_URL: databaseUrl }
        const [patient, pressed] = await Promise.all([startReplica(place, env), startReplica(place, env)])
        proxy?.fallSilent()
        await untilRefused()
        for (const { url } of replicas)
          await until('/readyz says so', async () => (await fetch(`${url}/readyz`)).status === 503)
        patient.server.child.kill('SIGTERM')
        pressed.server.child.kill('SIGTERM')
        await until('stopping has begun', () => refuses(pressed.url))
        pressed.server.child.kill('SIGTERM')
        await until('it has ended after two signals', () => hasEnded(pressed), END_MS)
        if (!pressed.server.output().includes('second stop signal')) throw new Error('it did not end at once')
        await until('it has ended after one signal', () => hasEnded(patient), END_MS)
        proxy?.speakAgain()
      },
      {
        connectThrough: async ({ socketDirectory }) => {
          proxy = await startSilentProxy(place, socketDirectory)
          databaseUrl = `postgres://postgres@127.0.0.1:${proxy.port}/site`
          return databaseUrl
        },
      },
    )
    return `${happened}; SIGTERM ended it`
  },
}

function hasEnded({ server: { child } }: { server: { child: { exitCode: number | null } } }): boolean {
  return child.exitCode !== null
}

function refuses(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => false,
    () => true,
  )
}
