/** What sealing costs whoever chooses: choices in a steady stream on a large table, alone and while each is sealed at once. */
import { randomInt, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { CONSENT_PATH } from '../src/contract/consent-choice.ts'
import { openDatabase, SQLITE_FILE } from '../src/server/db/database.ts'
import { migrate } from '../src/server/db/migrate.ts'
import { sealRecords } from '../src/server/evidence/seal-records.ts'
import { freePort } from '../tests/support/free-port.ts'
import { spawnServer, untilReady } from '../tests/support/spawn-server.ts'

const RECORDS = 5_000_000
const SECONDS = 10
const PER_SECOND = 40
/** Hundreds of times as often as a server does it. */
const SEAL_EVERY_MS = 100
const AIM_MS = 20

export async function benchChoices(): Promise<string[][]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const { db, close } = openDatabase({ dataDir, databaseUrl: null })
  await migrate(db)
  fill(join(dataDir, SQLITE_FILE))
  const port = await freePort()
  const site = `http://localhost:${port}`
  const server = spawnServer({ PORT: String(port), DATA_DIR: dataDir, TRUST_PROXY: 'true' })
  try {
    await untilReady(server, site)
    await measure(site)
    const alone = await measure(site)
    const stopped = new AbortController()
    const sealing = seal(db, stopped.signal)
    const beside = await measure(site)
    stopped.abort()
    const seals = await sealing
    return [
      [`choices a second, ${RECORDS.toLocaleString('en')} records`, 'p50 ms', 'p99 ms', 'turned away', 'aim'],
      [`${PER_SECOND}`, alone.p50.toFixed(1), alone.p99.toFixed(1), `${alone.turnedAway}`, `< ${AIM_MS} ms`],
      [
        `${PER_SECOND}, and ${(seals / SECONDS).toFixed(1)} seals a second`,
        beside.p50.toFixed(1),
        beside.p99.toFixed(1),
        `${beside.turnedAway}`,
        `< ${AIM_MS} ms`,
      ],
      ['times', (beside.p50 / alone.p50).toFixed(2), (beside.p99 / alone.p99).toFixed(2), '', ''],
    ]
  } finally {
    server.child.kill('SIGTERM')
    await server.ended
    await close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Sealed records of some years, with ids in order: only their number matters here. */
function fill(file: string): void {
  const database = new DatabaseSync(file)
  const numbers = (count: number) =>
    `with recursive n (n) as (select 0 union all select n + 1 from n where n < ${count - 1})`
  const hash = 'ab'.repeat(32)
  database.exec(`
    begin;
    ${numbers(RECORDS)} insert into consent_records
      (id, consent_id, action, categories, text_version, tag_set_version, created_at, schema_version, notice_hash, parties_hash, retention_days, leaf_position)
      select printf('%08x-0000-4000-8000-000000000000', n), printf('%08x-0000-4000-8000-000000000001', n), 'accept_all',
        '["desempenho","funcionalidade","marketing"]', 1, 'abcdefghijklmnop',
        strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700000000 + n * 10, 'unixepoch'), 1, '${hash}', '${hash}', 1826, n from n;
    ${numbers(RECORDS)} insert into consent_leaves (position, hash) select n, '${hash}' from n;
    ${numbers(Math.floor(RECORDS / 256))} insert into consent_tree_nodes (level, position, hash) select 8, n, '${hash}' from n;
    ${numbers(Math.floor(RECORDS / 65_536))} insert into consent_tree_nodes (level, position, hash) select 16, n, '${hash}' from n;
    update consent_tree set size = ${RECORDS};
    commit;
    pragma wal_checkpoint(truncate);
  `)
  database.close()
}

interface Measured {
  p50: number
  p99: number
  /** Told to come again: by a machine that is busy with something else, in the first place. */
  turnedAway: number
}

/** Milliseconds from when each choice was due until it was stored. */
async function measure(site: string): Promise<Measured> {
  const times: number[] = []
  const pending: Promise<void>[] = []
  let turnedAway = 0
  const start = performance.now()
  for (let sent = 0; sent < SECONDS * PER_SECOND; sent++) {
    const due = start + sent * (1000 / PER_SECOND)
    await wait(Math.max(0, due - performance.now()))
    pending.push(
      choose(site).then((status) => {
        if (status === 204) times.push(performance.now() - due)
        else turnedAway++
      }),
    )
  }
  await Promise.all(pending)
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), turnedAway }
}

async function choose(site: string): Promise<number> {
  const { status } = await fetch(site + CONSENT_PATH, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
    },
    body: JSON.stringify({
      id: randomUUID(),
      action: 'reject',
      categories: [],
      text_version: 1,
      tag_set_version: '',
    }),
  })
  return status
}

async function seal(db: Parameters<typeof sealRecords>[0], signal: AbortSignal): Promise<number> {
  let seals = 0
  for (let minute = 1; !signal.aborted; minute++) {
    if ((await sealRecords(db, { now: Date.now() + minute * 60_000 })) !== null) seals++
    await wait(SEAL_EVERY_MS)
  }
  return seals
}
