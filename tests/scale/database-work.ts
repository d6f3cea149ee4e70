import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { treeProcessorMilliseconds } from '../../bench/process-usage.ts'
import type { PrivatePostgres } from '../support/start-postgres.ts'

/** PostgreSQL counts its own work. Without full page images, WAL says what was written and not when the disk synced. */
export const COUNTING_SETTINGS = [
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.max=5000',
  'full_page_writes=off',
  'autovacuum=off',
  'checkpoint_timeout=1h',
  'max_wal_size=8GB',
  'max_connections=300',
]

/** In the statements of the observer, which are not counted. */
export const OBSERVED = 'observed'

export const METRICS = ['statements', 'wal', 'locked', 'read', 'buffers', 'processor'] as const

export type Metric = (typeof METRICS)[number]

/** What was done for something, by database and processes together. Processor time is in milliseconds. */
export type Work = Record<Metric, number>

/** Statements whose rows are locked or written; a row of any other is read. */
const LOCKS = /\b(insert into|delete from|for (no key )?update)\b|\bupdate "?\w+"? (as "?\w+"? )?set\b/i

const SAMPLE_MS = 100

interface Sampled {
  work: Work
  seconds: number
  /** The most connections of the processes at one time. */
  connections: number
  /** The most sessions that waited for a lock at one time. */
  waiting: number
  /** Waited for locks, all sessions together. */
  lockSeconds: number
  /** The statement that waited most often. */
  waitsFor: string
}

function mostFrequent(counts: ReadonlyMap<string, number>): string {
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

/** Counts the work of one database, from a connection to another one. */
export class DatabaseWork {
  readonly #client: pg.Client
  readonly #database: string
  #postmaster = 0
  /** Processes whose time counts besides PostgreSQL's. */
  pids: readonly number[] = []

  constructor(postgres: PrivatePostgres, database: string) {
    this.#client = new pg.Client({ host: postgres.socketDirectory, user: 'postgres', database: 'postgres' })
    this.#database = database
  }

  async open(): Promise<void> {
    await this.#client.connect()
    await this.#client.query('create extension if not exists pg_stat_statements')
    const { rows } = await this.#client.query('show data_directory')
    this.#postmaster = Number.parseInt(
      readFileSync(join(rows[0].data_directory, 'postmaster.pid'), 'utf8'),
      10,
    )
  }

  close(): Promise<void> {
    return this.#client.end()
  }

  /** The work done while `during` runs. */
  async count(during: () => Promise<unknown>): Promise<Sampled> {
    const before = await this.#read()
    const begun = performance.now()
    let connections = 0
    let waiting = 0
    let lockSeconds = 0
    let sampledAt = begun
    const waits = new Map<string, number>()
    let isOver = false
    const sampling = (async () => {
      while (!isOver) {
        const { rows } = await this.#client.query(
          `select wait_event_type = 'Lock' as waits, left(query, 60) as query
           from pg_stat_activity where application_name like 'portico%'`,
        )
        connections = Math.max(connections, rows.length)
        const queries = rows.filter(({ waits }) => waits).map(({ query }) => query as string)
        waiting = Math.max(waiting, queries.length)
        const now = performance.now()
        lockSeconds += (queries.length * (now - sampledAt)) / 1000
        sampledAt = now
        for (const query of queries) waits.set(query, (waits.get(query) ?? 0) + 1)
        await sleep(SAMPLE_MS)
      }
    })()
    try {
      await during()
    } finally {
      isOver = true
      await sampling
    }
    const after = await this.#read()
    const work = Object.fromEntries(METRICS.map((metric) => [metric, after[metric] - before[metric]])) as Work
    return {
      work,
      seconds: (performance.now() - begun) / 1000,
      connections,
      waiting,
      lockSeconds,
      waitsFor: mostFrequent(waits),
    }
  }

  async #read(): Promise<Work> {
    const { rows } = await this.#client.query(
      `select statement.query, statement.calls::int, statement.rows::int,
         (shared_blks_hit + shared_blks_read)::int as buffers
       from pg_stat_statements as statement join pg_database on pg_database.oid = statement.dbid
       where datname = $1 and query not like '%' || $2 || '%'`,
      [this.#database, OBSERVED],
    )
    const { rows: position } = await this.#client.query(
      `select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal`,
    )
    const work: Work = { statements: 0, wal: position[0].wal, locked: 0, read: 0, buffers: 0, processor: 0 }
    for (const { query, calls, rows: count, buffers } of rows) {
      // The end of a transaction is a round trip, its begin travels with a statement's.
      work.statements += calls
      work[LOCKS.test(query) ? 'locked' : 'read'] += count
      work.buffers += buffers
    }
    for (const pid of [this.#postmaster, ...this.pids]) work.processor += treeProcessorMilliseconds(pid)
    return work
  }
}
