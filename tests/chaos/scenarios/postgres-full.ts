import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { CONSENT_PATH, CONSENT_TEXT_VERSION } from '#contract/consent-choice.ts'
import { findPostgres } from '../../support/find-postgres.ts'
import { freePort } from '../../support/free-port.ts'
import { type SpawnedServer, spawnServer, untilReady } from '../../support/spawn-server.ts'
import { startPostgres } from '../../support/start-postgres.ts'
import { type Place, type Scenario, until } from '../scenario.ts'
import { type Replica, startReplica } from '../start-replica.ts'

const PROCESSES = 16
const STARTED_AT_ONCE = 4
const POOL_SIZE = 10
const CONNECTIONS = 50
const CHOICES = 900
/** More than all connections of PostgreSQL. */
const CHOICES_AT_ONCE = 160
/** Not the owner of the server, who has connections of its own. */
const ROLE = 'portico'

export const postgresFull: Scenario = {
  name: `${PROCESSES} processes with pools of ${POOL_SIZE} share a PostgreSQL with ${CONNECTIONS} connections, and one more starts`,
  promised:
    'no refusal of consent gets 503, each is stored once; the one that starts waits, says so, and works once there is room',
  quick: true,
  run: async (place) => {
    const postgres = await startPostgres(findPostgres(), [`max_connections=${CONNECTIONS}`])
    place.atEnd(() => postgres.stop())
    const owner = new pg.Client({ host: postgres.socketDirectory, user: 'postgres', database: 'postgres' })
    await owner.connect()
    place.atEnd(() => owner.end())
    await owner.query(`create role ${ROLE} login`)
    await owner.query(`create database site owner ${ROLE}`)
    const env = {
      DATABASE_URL: `postgres://${ROLE}@/site?host=${postgres.socketDirectory}`,
      DATABASE_POOL_SIZE: String(POOL_SIZE),
    }
    const replicas: Replica[] = []
    while (replicas.length < PROCESSES)
      replicas.push(
        ...(await Promise.all(Array.from({ length: STARTED_AT_ONCE }, () => startReplica(place, env)))),
      )

    const { ids, shed } = await refuseEverywhere(replicas)
    const site = new pg.Client({ host: postgres.socketDirectory, user: 'postgres', database: 'site' })
    await site.connect()
    place.atEnd(() => site.end())
    const { rows } = await site.query('select id from consent_records')
    const stored = new Set(rows.map(({ id }) => id))
    const lost = ids.filter((id) => !stored.has(id))
    if (lost.length > 0 || rows.length > ids.length)
      throw new Error(`${ids.length} acknowledged, ${rows.length} stored, ${lost.length} of them lost`)
    const isShort = ({ server }: Replica) => /no further connection to the database/.test(server.output())
    const short = replicas.filter(isShort).length
    if (short === 0) throw new Error('the server was never full')

    const taken = await takeTheRest(postgres.socketDirectory)
    const late = await startLate(place, env)
    await until('the start says that it waits', () =>
      late.server.output().includes('start: waiting for the database, it has no free connection'),
    )
    if (late.server.child.exitCode !== null) throw new Error(`the start ended: ${late.server.output()}`)
    await Promise.all(taken.map((client) => client.end()))
    await untilReady(late.server, late.url)
    return `${CHOICES} refusals stored once each, 0 answered with 503 for want of a connection, ${shed} asked again of a busy machine; ${short} of ${PROCESSES} processes were short of connections; the next start waited`
  },
}

/** Many at once, and again for those whom a machine without processor time sent away. */
async function refuseEverywhere(replicas: readonly Replica[]): Promise<{ ids: string[]; shed: number }> {
  let shed = 0
  const refuse = async (url: string, id: string): Promise<void> => {
    const [a, b, c] = id.replaceAll('-', '').match(/../g) ?? []
    const address = [a, b, c].map((byte) => Number.parseInt(byte ?? '', 16)).join('.')
    const answer = await fetch(`${url}${CONSENT_PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.${address}` },
      body: JSON.stringify({
        record_id: id,
        id: randomUUID(),
        action: 'reject',
        categories: [],
        text_version: CONSENT_TEXT_VERSION,
        tag_set_version: '',
      }),
    }).catch((error: Error) => {
      throw new Error(`a refusal got no answer: ${error.cause}`)
    })
    const text = await answer.text()
    if (answer.status === 204) return
    // Sent away, or not read in time.
    if (!/"overloaded"|"request_timeout"/.test(text))
      throw new Error(`a refusal got ${answer.status} ${text.slice(0, 120)}`)
    shed++
    return refuse(url, id)
  }
  const ids = Array.from({ length: CHOICES }, () => randomUUID())
  const left = [...ids.entries()]
  const visitor = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop())
      await refuse(replicas[next[0] % replicas.length]?.url ?? '', next[1])
  }
  await Promise.all(Array.from({ length: CHOICES_AT_ONCE }, visitor))
  return { ids, shed }
}

/** As another program with the same rights, until the server refuses. */
async function takeTheRest(host: string): Promise<pg.Client[]> {
  const taken: pg.Client[] = []
  for (;;) {
    const client = new pg.Client({ host, user: ROLE, database: 'site' })
    client.on('error', () => {})
    try {
      await client.connect()
      taken.push(client)
    } catch {
      return taken
    }
  }
}

async function startLate(
  place: Place,
  env: Record<string, string>,
): Promise<{ server: SpawnedServer; url: string }> {
  const port = await freePort()
  const server = spawnServer({
    PORT: String(port),
    DATA_DIR: mkdtempSync(join(place.folder, 'data-')),
    SECRET_KEY_FILE: join(place.folder, 'secret.key'),
    ...env,
  })
  place.atEnd(async () => {
    server.child.kill('SIGKILL')
    await server.ended
  })
  return { server, url: `http://localhost:${port}` }
}
