/**
 * What checkpoints cost visitors who choose: a steady stream of choices on a large table, alone and with a checkpoint
 * after each.
 */
import { randomInt, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { CONSENT_PATH } from '../src/contract/consent-choice.ts'
import { addToCheckpoint } from '../src/server/consent/checkpoints.ts'
import { openDatabase, SQLITE_FILE } from '../src/server/db/database.ts'
import { migrate } from '../src/server/db/migrate.ts'
import { makeSecretKeyFile } from '../src/server/secrets/secret-key.ts'
import { findPostgres } from '../tests/support/find-postgres.ts'
import { freePort } from '../tests/support/free-port.ts'
import { spawnServer, untilReady } from '../tests/support/spawn-server.ts'
import { startPostgres } from '../tests/support/start-postgres.ts'

const WARM_UP_SECONDS = 3
const PER_SECOND = 40
/** Hundreds of times as often as a server. */
const CHECKPOINT_EVERY_MS = 100
const AIM_MS = 20
const KEY_FILE = 'secret.key'

export interface ChoicesOptions {
  /** In the table before the first choice. */
  records: number
  seconds: number
}

/** Header first. */
export async function benchChoices({ records, seconds }: ChoicesOptions): Promise<string[][]> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const postgres = await startPostgres(findPostgres(), ['fsync=on', 'max_wal_size=8GB'])
  const engines = [
    ['SQLite', join(directory, 'sqlite'), null],
    [
      'PostgreSQL',
      join(directory, 'postgres'),
      `postgres://postgres@/postgres?host=${postgres.socketDirectory}`,
    ],
  ] as const
  try {
    for (const [, dataDir, databaseUrl] of engines) await fill(records, dataDir, databaseUrl)
    const rows: string[][] = []
    for (const [name, dataDir, databaseUrl] of engines)
      rows.push(...(await benchEngine(name, dataDir, databaseUrl, seconds)))
    return [
      [
        `choices a second, ${records.toLocaleString('en')} records`,
        'p50 ms',
        'p99 ms',
        'max ms',
        'refused',
        'target',
      ],
      ...rows,
    ]
  } finally {
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function benchEngine(
  name: string,
  dataDir: string,
  databaseUrl: string | null,
  seconds: number,
): Promise<string[][]> {
  const { db, close } = openDatabase({ dataDir, databaseUrl })
  const port = await freePort()
  const site = `http://localhost:${port}`
  const server = spawnServer({
    PORT: String(port),
    DATA_DIR: dataDir,
    TRUST_PROXY: 'true',
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl, SECRET_KEY_FILE: join(dataDir, KEY_FILE) }),
  })
  try {
    await untilReady(server, site)
    await measure(site, WARM_UP_SECONDS)
    const alone = await measure(site, seconds)
    const stopped = new AbortController()
    const adding = addCheckpoints(db, stopped.signal)
    const beside = await measure(site, seconds)
    stopped.abort()
    const checkpoints = await adding
    return [
      row(`${name}, ${PER_SECOND}`, alone),
      row(`${name}, ${PER_SECOND}, and ${(checkpoints / seconds).toFixed(1)} checkpoints a second`, beside),
    ]
  } finally {
    server.child.kill('SIGTERM')
    await server.ended
    await close()
  }
}

function row(what: string, { p50, p99, max, refused }: Measured): string[] {
  return [what, p50.toFixed(1), p99.toFixed(1), max.toFixed(1), `${refused}`, `< ${AIM_MS} ms`]
}

/** Records of some years with checkpoints. Their ids are spread like random ones. */
async function fill(records: number, dataDir: string, databaseUrl: string | null): Promise<void> {
  mkdirSync(dataDir, { mode: 0o700 })
  const { db, close } = openDatabase({ dataDir, databaseUrl })
  await migrate(db)
  await close()
  if (databaseUrl === null) {
    const database = new DatabaseSync(join(dataDir, SQLITE_FILE))
    database.exec('pragma cache_size = -2000000')
    for (const statement of statements(records, SQLITE_WORDS)) database.exec(statement)
    database.exec('pragma wal_checkpoint(truncate)')
    database.close()
    return
  }
  await makeSecretKeyFile(join(dataDir, KEY_FILE))
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  for (const statement of statements(records, POSTGRES_WORDS)) await client.query(statement)
  await client.query('vacuum analyze')
  await client.end()
}

interface Words {
  /** A table `n (n)` with the numbers below `count`, in front of an insert. */
  numbers: (count: number) => string
  hex: (expression: string) => string
  uuid: (expression: string) => string
  /** From seconds since 1970. */
  time: (expression: string) => string
  json: (text: string) => string
}

const SQLITE_WORDS: Words = {
  numbers: (count) =>
    `with recursive n (n) as (select 0 union all select n + 1 from n where n < ${count - 1})`,
  hex: (expression) => `printf('%08x', ${expression})`,
  uuid: (expression) => expression,
  time: (expression) => `strftime('%Y-%m-%dT%H:%M:%S.000Z', ${expression}, 'unixepoch')`,
  json: (text) => text,
}

const POSTGRES_WORDS: Words = {
  numbers: (count) => `with n (n) as (select generate_series(0::bigint, ${count - 1}))`,
  hex: (expression) => `lpad(to_hex(${expression}), 8, '0')`,
  uuid: (expression) => `cast(${expression} as uuid)`,
  time: (expression) => `to_timestamp(${expression})`,
  json: (text) => `cast(${text} as jsonb)`,
}

function statements(records: number, { numbers, hex, uuid, time, json }: Words): string[] {
  const hash = 'ab'.repeat(32)
  // Knuth's multiplicative hash: every number below 2^32 once.
  const spread = hex('(n * 2654435761) & 4294967295')
  return [
    `${numbers(records)} insert into consent_records
      (id, consent_id, action, categories, text_version, tag_set_version, created_at, schema_version, notice_hash, parties_hash, retention_days, leaf_position)
      select ${uuid(`${spread} || '-0000-4000-8000-000000000000'`)}, ${uuid(`${spread} || '-0000-4000-8000-000000000001'`)}, 'accept_all',
        ${json(`'["desempenho","funcionalidade","marketing"]'`)}, 1, 'abcdefghijklmnop',
        ${time('1700000000 + n * 10')}, 1, '${hash}', '${hash}', 1826, n from n`,
    `${numbers(records)} insert into consent_leaves (position, hash) select n, '${hash}' from n`,
    `${numbers(Math.floor(records / 256))} insert into consent_tree_nodes (level, position, hash) select 8, n, '${hash}' from n`,
    `${numbers(Math.floor(records / 65_536))} insert into consent_tree_nodes (level, position, hash) select 16, n, '${hash}' from n`,
    `update consent_tree set size = ${records}`,
  ]
}

interface Measured {
  p50: number
  p99: number
  max: number
  /** Refused with 503 or 429, usually because the machine is busy. */
  refused: number
}

/** Milliseconds from when each choice was due until it was stored. */
async function measure(site: string, seconds: number): Promise<Measured> {
  const times: number[] = []
  const pending: Promise<void>[] = []
  let refused = 0
  const start = performance.now()
  for (let sent = 0; sent < seconds * PER_SECOND; sent++) {
    const due = start + sent * (1000 / PER_SECOND)
    await wait(Math.max(0, due - performance.now()))
    pending.push(
      choose(site).then((status) => {
        if (status === 204) times.push(performance.now() - due)
        else refused++
      }),
    )
  }
  await Promise.all(pending)
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), max: times.at(-1) ?? Number.NaN, refused }
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

async function addCheckpoints(
  db: Parameters<typeof addToCheckpoint>[0],
  signal: AbortSignal,
): Promise<number> {
  let checkpoints = 0
  for (let minute = 1; !signal.aborted; minute++) {
    if ((await addToCheckpoint(db, { now: Date.now() + minute * 60_000 })) !== null) checkpoints++
    await wait(CHECKPOINT_EVERY_MS)
  }
  return checkpoints
}
