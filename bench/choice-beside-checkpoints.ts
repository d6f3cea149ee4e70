/**
 * What checkpoints cost visitors who choose: a steady stream of choices on a large table, alone and with a checkpoint
 * after each. The first row is a timer that does nothing: how long the machine itself lets a process wait.
 */
import { randomInt, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { CONSENT_PATH } from '../src/contract/consent-choice.ts'
import { addToCheckpoint } from '../src/server/consent/checkpoints.ts'
import { openDatabase } from '../src/server/db/database.ts'
import { findPostgres } from '../tests/support/find-postgres.ts'
import { freePort } from '../tests/support/free-port.ts'
import { spawnServer, untilReady } from '../tests/support/spawn-server.ts'
import { startPostgres } from '../tests/support/start-postgres.ts'
import { consentRecords, fillDatabase, keyFileOf } from './fill-database.ts'

const WARM_UP_SECONDS = 3
const PER_SECOND = 40
/** Hundreds of times as often as a server. */
const CHECKPOINT_EVERY_MS = 100
const AIM_MS = 20

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
    for (const [, dataDir, databaseUrl] of engines)
      await fillDatabase({ dataDir, databaseUrl }, (words) => consentRecords(records, words))
    const rows = [row('nothing, as often', await measure(async () => DONE, seconds), '')]
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
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl, SECRET_KEY_FILE: keyFileOf(dataDir) }),
  })
  try {
    await untilReady(server, site)
    const send = () => choose(site)
    await measure(send, WARM_UP_SECONDS)
    const alone = await measure(send, seconds)
    const stopped = new AbortController()
    const adding = addCheckpoints(db, stopped.signal)
    const beside = await measure(send, seconds)
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

function row(what: string, { p50, p99, max, refused }: Measured, aim = `< ${AIM_MS} ms`): string[] {
  return [what, p50.toFixed(1), p99.toFixed(1), max.toFixed(1), `${refused}`, aim]
}

interface Measured {
  p50: number
  p99: number
  max: number
  /** Refused with 503 or 429, usually because the machine is busy. */
  refused: number
}

const DONE = 204

/** Milliseconds from when each choice was due until it was stored. `send` returns its status. */
async function measure(send: () => Promise<number>, seconds: number): Promise<Measured> {
  const times: number[] = []
  const pending: Promise<void>[] = []
  let refused = 0
  const start = performance.now()
  for (let sent = 0; sent < seconds * PER_SECOND; sent++) {
    const due = start + sent * (1000 / PER_SECOND)
    await wait(Math.max(0, due - performance.now()))
    pending.push(
      send().then((status) => {
        if (status === DONE) times.push(performance.now() - due)
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
