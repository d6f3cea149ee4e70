import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { type Config, VERSION } from '../config.ts'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { isLoggedOutage } from '../db/errors.ts'
import type { Drain } from '../http/sockets/shutdown.ts'
import type { Metrics, WatchedState } from './metrics.ts'

/**
 * `/healthz`: the process answers. `/readyz/serve`: it is not about to stop, so a proxy may send requests; pages are
 * served even without a database. `/readyz`: the same, and a test write has committed.
 */
export function registerHealth(app: FastifyInstance, db: Db, drain: Pick<Drain, 'hasBegun'>): void {
  const readiness = new Readiness({ prove: () => proveWritable(db) })
  let wasReady = true
  app.get('/healthz', async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )
  app.get('/readyz/serve', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    if (drain.hasBegun) return reply.code(503).send({ status: 'draining' })
    return reply.send({ status: 'ready' })
  })
  app.get('/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (drain.hasBegun) return reply.code(503).send({ status: 'draining' })
    try {
      await readiness.check()
      if (!wasReady) request.log.info('database accepts writes again')
      wasReady = true
      return reply.send({ status: 'ready' })
    } catch (error) {
      // Logged once: monitors ask every few seconds.
      if (wasReady && !isLoggedOutage(error)) {
        request.log.warn({ err: error }, 'database accepts no writes')
        wasReady = false
      }
      return reply.code(503).send({ status: 'unavailable' })
    }
  })
}

/** Writes one row. Resolves when it is durable in the file at the database's path. */
export async function proveWritable(db: Db, now = new Date()): Promise<void> {
  if (engineOf(db) === 'postgres') return provePostgresWritable(db)
  const { numUpdatedRows } = await db
    .updateTable('readiness')
    .set({ proved_at: now.toISOString() })
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw new Error(LOST_ROW)
}

const LOST_ROW = 'the database has lost its readiness row'

/**
 * On a full disk PostgreSQL still updates a row within its page and only refuses to grow a file. So about a megabyte is
 * first written to a temporary file: a result larger than `work_mem`. One round trip.
 */
async function provePostgresWritable(db: Db): Promise<void> {
  await sql`do $$ begin
    perform set_config('work_mem', '64kB', true);
    perform count(*) from generate_series(1, 40000);
    update readiness set proved_at = now();
    if not found then raise exception ${sql.lit(LOST_ROW)}; end if;
  end $$`.execute(db)
}

/** One check serves all callers within this time: the endpoint is public, and a check waits for the disk. */
const FRESH_MS = 1_000

const DEADLINE_MS = 2_000

interface ReadinessOptions {
  /** Resolves when a write was stored. */
  prove: () => Promise<void>
  freshMs?: number
  deadlineMs?: number
}

/** Checks whether a write succeeds. A hanging check is shared, never started twice. */
export class Readiness {
  readonly #options: Required<ReadinessOptions>
  #running: Promise<void> | null = null
  #provedAt = Number.NEGATIVE_INFINITY

  constructor(options: ReadinessOptions) {
    this.#options = { freshMs: FRESH_MS, deadlineMs: DEADLINE_MS, ...options }
  }

  /** Rejects with the reason. */
  async check(): Promise<void> {
    if (performance.now() - this.#provedAt < this.#options.freshMs) return
    this.#running ??= this.#prove().finally(() => {
      this.#running = null
    })
    const over = new AbortController()
    const deadline = sleep(this.#options.deadlineMs, undefined, { signal: over.signal, ref: false }).then(
      () => Promise.reject(new Error(`no write succeeded within ${this.#options.deadlineMs} ms`)),
      () => {},
    )
    try {
      await Promise.race([this.#running, deadline])
    } finally {
      over.abort()
    }
  }

  async #prove(): Promise<void> {
    await this.#options.prove()
    this.#provedAt = performance.now()
  }
}

/** `/metrics`, if configured. Loaded on demand: it is some megabytes. */
export async function composeMetrics(
  scope: FastifyInstance,
  metrics: Metrics | null,
  { host, metrics: config }: Pick<Config, 'host' | 'metrics'>,
  state: Omit<WatchedState, 'version'>,
): Promise<void> {
  if (metrics === null || config === null) return
  metrics.watchState({ ...state, version: VERSION })
  const { registerMetrics } = await import('./metrics.ts')
  registerMetrics(scope, metrics, { host, metrics: config })
}
