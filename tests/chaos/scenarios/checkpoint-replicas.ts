import { randomInt, randomUUID } from 'node:crypto'
import { CONSENT_PATH } from '#contract/consent-choice.ts'
import { addToCheckpoint, readCheckpointState } from '#server/consent/checkpoints.ts'
import { openDatabase } from '#server/db/database.ts'
import { askPostgres } from '../../support/ask-postgres.ts'
import { findPostgres } from '../../support/find-postgres.ts'
import { proveInCheckpointOnce } from '../../support/prove-in-checkpoint-once.ts'
import { startPostgres } from '../../support/start-postgres.ts'
import { type Scenario, until } from '../scenario.ts'
import { startReplica } from '../start-replica.ts'

const CHOICES = 10_000
const AT_ONCE = 40
/** A checkpoint is made after the end of its minute. */
const SEAL_MS = 180_000

/** From many visitors: one address is limited. */
async function choose(url: string, id: string): Promise<boolean> {
  try {
    const answer = await fetch(url + CONSENT_PATH, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
      },
      body: JSON.stringify({
        id,
        action: 'reject',
        categories: [],
        text_version: 1,
        tag_set_version: '',
      }),
    })
    return answer.status === 204
  } catch {
    // The process was killed.
    return false
  }
}

export const sealingReplicas: Scenario = {
  name: `three replicas store ${CHOICES} choices while checkpoints are made, and one is killed (kill -9)`,
  promised: 'one chain of checkpoints that contains every acknowledged choice exactly once',
  async run(place) {
    const postgres = await startPostgres(findPostgres(), [])
    place.atEnd(() => postgres.stop())
    await askPostgres(postgres.socketDirectory, 'postgres', 'create database site')
    const databaseUrl = `postgres://postgres@/site?host=${postgres.socketDirectory}`
    const env = { DATABASE_URL: databaseUrl, DATABASE_POOL_SIZE: '8' }
    const replicas = [
      await startReplica(place, env),
      await startReplica(place, env),
      await startReplica(place, env),
    ]
    const visitors = new Set<string>()
    let next = 0
    const work = async () => {
      for (let at = next++; at < CHOICES; at = next++) {
        const id = randomUUID()
        const alive = replicas.filter(({ server: { child } }) => child.exitCode === null && !child.killed)
        if (await choose(alive[at % alive.length]?.url ?? '', id)) visitors.add(id)
        if (at === CHOICES / 2) replicas[2]?.server.child.kill('SIGKILL')
      }
    }
    const { db, close } = openDatabase({ dataDir: place.folder, databaseUrl })
    place.atEnd(close)
    let isWriting = true
    // Hundreds of times as often as a server, beside the servers.
    const sealing = (async () => {
      for (let minute = 0; isWriting; minute++)
        await addToCheckpoint(db, { now: Date.now() + minute * 60_000 })
    })()
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    isWriting = false
    await sealing
    // The last ones are left to the servers.
    for (let at = 0; at < 10; at++) await choose(replicas[at % 2]?.url ?? '', randomUUID())
    const stored = await db.selectFrom('consent_records').select(['id', 'consent_id']).execute()
    const found = new Set(stored.map(({ consent_id }) => consent_id))
    const lost = [...visitors].filter((id) => !found.has(id))
    if (lost.length > 0) throw new Error(`${lost.length} acknowledged choices were not stored`)
    await until(
      'everything is sealed',
      async () => {
        const { waiting, last } = await readCheckpointState(db)
        return waiting === 0 && last?.tree_size === stored.length
      },
      SEAL_MS,
    )
    const sealed = await proveInCheckpointOnce(db, new Set(stored.map(({ id }) => id)))
    const { last } = await readCheckpointState(db)
    return `${visitors.size} choices acknowledged, ${sealed} sealed once each in ${last?.sequence} seals, 0 lost`
  },
}
