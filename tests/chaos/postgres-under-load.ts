import { askPostgres } from '../support/ask-postgres.ts'
import { findPostgres } from '../support/find-postgres.ts'
import { type PrivatePostgres, startPostgres } from '../support/start-postgres.ts'
import { Load } from './load.ts'
import { type Place, until } from './scenario.ts'
import { signIn } from './sign-in.ts'
import { type Replica, startReplica } from './start-replica.ts'

const DATABASE = 'site'

interface Options {
  settings?: string[]
  /** PostgreSQL's data folder; temporary by default. */
  folder?: string
  /** What is between the processes and the database, if anything. */
  connectThrough?: (postgres: PrivatePostgres) => Promise<string>
}

export interface Surroundings {
  postgres: PrivatePostgres
  replicas: readonly Replica[]
  load: Load
  /** Waits until calls are refused: the failure has been noticed. */
  untilRefused(): Promise<void>
  /** One statement on a separate connection. */
  ask(statement: string): Promise<void>
}

/**
 * Two processes on their own PostgreSQL, under load, while `breakAndMend` runs. In every case: the page never fails, a
 * call succeeds or gets 503 with a Portuguese message, everything recovers by itself, and nothing acknowledged is lost.
 */
export async function postgresUnderLoad(
  place: Place,
  breakAndMend: (surroundings: Surroundings) => Promise<void>,
  { settings = [], folder, connectThrough }: Options = {},
): Promise<string> {
  const postgres = await startPostgres(findPostgres(), settings, folder)
  place.atEnd(() => postgres.stop())
  const ask = (statement: string) =>
    askPostgres(postgres.socketDirectory, 'postgres', statement).then(() => {})
  await ask(`create database ${DATABASE}`)
  const direct = `postgres://postgres@/${DATABASE}?host=${postgres.socketDirectory}`
  const env = { DATABASE_URL: (await connectThrough?.(postgres)) ?? direct, DATABASE_POOL_SIZE: '8' }
  const replicas = await Promise.all([startReplica(place, env), startReplica(place, env)])
  const administrator = await signIn(replicas[0].url)
  const load = new Load(
    replicas.map(({ url }) => url),
    administrator,
    place.pauseMs,
  )
  place.atEnd(() => load.stop())
  await load.untilWorking()
  await breakAndMend({ postgres, replicas, load, ask, untilRefused: () => load.untilRefused() })
  for (const { url } of replicas)
    await until('it is ready again', async () => (await fetch(`${url}/readyz`)).status === 200)
  await load.untilWorking()
  await load.stop()

  const stored = await askPostgres(
    postgres.socketDirectory,
    DATABASE,
    'select email from newsletter_subscriptions',
  )
  const kept = new Set(stored.map(({ email }) => email))
  const lost = [...load.acknowledged].filter((email) => !kept.has(email))
  const [pixel] = await askPostgres(
    postgres.socketDirectory,
    DATABASE,
    `select name from tracking_pixels where id = '${administrator.pixelId}'`,
  )
  const faults = [
    ...load.failedVisits.map((answer) => `the page: ${answer}`),
    ...load.wrong.map((answer) => `a call: ${answer}`),
    ...lost.map((email) => `lost: ${email}`),
    ...(Number(pixel?.name) < load.renamed ? [`lost: name ${load.renamed}, found ${pixel?.name}`] : []),
    ...replicas.flatMap(({ server: { child } }) => (child.exitCode === null ? [] : ['a process ended'])),
  ]
  if (faults.length > 0) throw new Error(`${faults.length} faults, such as ${faults[0]}`)
  return `${load.visits} visits, 0 failed; ${load.acknowledged.size} subscriptions acknowledged, 0 lost; ${load.refused} calls answered with 503`
}
