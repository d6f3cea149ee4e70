import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from '#server/db/database.ts'
import { engineOf } from '#server/db/dialect.ts'
import { CONNECT_TIMEOUT_MS, KEEP_ALIVE_DELAY_MS } from '#server/db/engines/postgres.ts'
import { post } from '#server/db/transactions/change.ts'

const CHANNEL = 'portico_tags'
const POLL_MS = 1_000
const RECONNECT_MIN_MS = 200
const RECONNECT_MAX_MS = 5_000
/** A host that disappears closes no connection either. */
const FAREWELL_MS = 1_000

/**
 * Marks the tag set as changed. Inside the transaction that changes it, every replica hears of it at the commit. The
 * version that it made is known when the transaction is.
 */
export async function bumpTagsVersion(db: Db): Promise<{ version: Promise<number> }> {
  const { answer } = await post(
    db,
    db
      .updateTable('site_state')
      .set((eb) => ({ tags_version: eb('tags_version', '+', 1) }))
      .returning('tags_version'),
  )
  if (engineOf(db) === 'postgres') await sql`select pg_notify(${CHANNEL}, '')`.execute(db)
  const version = answer.then(({ rows }) => rows[0]?.tags_version ?? Number.NaN)
  // The transaction that fails with it tells.
  version.catch(() => {})
  return { version }
}

export async function readTagsVersion(db: Db): Promise<number> {
  const row = await db.selectFrom('site_state').select('tags_version').executeTakeFirstOrThrow()
  return row.tags_version
}

interface WatchOptions {
  db: Db
  /** Set on PostgreSQL: LISTEN needs a connection of its own. */
  databaseUrl: string | null
  /** A look that failed, a connection that broke: neither ends the watch. */
  onProblem: (error: unknown) => void
  /** Called with the version at each look, changed or not. */
  onVersion: (version: number) => Promise<void>
  pollMs?: number
}

/**
 * Tells when another process changed the tags. PostgreSQL says so at once; a look every second covers a lost connection
 * and a pooler that does not pass notices on. The embedded engine has the look alone.
 */
export function watchTagsVersion(options: WatchOptions): { stop(): Promise<void> } {
  const { db, onProblem, onVersion, pollMs = POLL_MS } = options
  let looking: Promise<void> | null = null
  let again = false
  const look = () => {
    // A notice that comes during a look may be about what that look has just missed.
    again = looking !== null
    looking ??= readTagsVersion(db)
      .then(onVersion)
      .catch(onProblem)
      .finally(() => {
        looking = null
        if (again) look()
      })
  }
  const timer = setInterval(look, pollMs)
  timer.unref()
  const listener = options.databaseUrl === null ? null : new Listener(options.databaseUrl, look, onProblem)
  return {
    stop: async () => {
      clearInterval(timer)
      await listener?.stop()
      await looking
    },
  }
}

class Listener {
  readonly #url: string
  readonly #onNotice: () => void
  readonly #onProblem: (error: unknown) => void
  #client: pg.Client | null = null
  #delay = RECONNECT_MIN_MS
  #retry: NodeJS.Timeout | null = null
  #stopped = false

  constructor(url: string, onNotice: () => void, onProblem: (error: unknown) => void) {
    this.#url = url
    this.#onNotice = onNotice
    this.#onProblem = onProblem
    void this.#connect()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#retry !== null) clearTimeout(this.#retry)
    await Promise.race([this.#client?.end().catch(() => {}), wait(FAREWELL_MS, undefined, { ref: false })])
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      application_name: 'portico-listen',
    })
    this.#client = client
    const lost = (error?: Error) => {
      if (this.#client !== client) return
      this.#client = null
      client.end().catch(() => {})
      if (this.#stopped) return
      if (error !== undefined) this.#onProblem(error)
      this.#retry = setTimeout(() => void this.#connect(), this.#delay)
      this.#retry.unref()
      this.#delay = Math.min(this.#delay * 2, RECONNECT_MAX_MS)
    }
    client.on('error', lost)
    client.on('end', () => lost())
    client.on('notification', this.#onNotice)
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
      this.#delay = RECONNECT_MIN_MS
      // Catches up on what was notified while nobody listened.
      this.#onNotice()
    } catch (error) {
      lost(error as Error)
    }
  }
}
