import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import type { Drain } from '../http/sockets/shutdown.ts'

/**
 * `/healthz`: the process answers. `/readyz/serve`: it is not about to stop, so a proxy may send it requests; without
 * a database it still serves pages. `/readyz`: the same, and a test write has committed.
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
      if (!wasReady) request.log.info('the database takes writes again')
      wasReady = true
      return reply.send({ status: 'ready' })
    } catch (error) {
      // A line when it begins: whoever watches asks every few seconds.
      if (wasReady) request.log.warn({ err: error }, 'the database takes no writes')
      wasReady = false
      return reply.code(503).send({ status: 'unavailable' })
    }
  })
}

/** Writes one row for good. Resolves when it is durable, in the file that lies under the database's path. */
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
 * On a full disk PostgreSQL still updates a row within its page, and refuses only what makes a file longer. So about a
 * megabyte is written to a temporary file first: a result that does not fit into `work_mem`. One round trip.
 */
async function provePostgresWritable(db: Db): Promise<void> {
  await sql`do $$ begin
    perform set_config('work_mem', '64kB', true);
    perform count(*) from generate_series(1, 40000);
    update readiness set proved_at = now();
    if not found then raise exception ${sql.lit(LOST_ROW)}; end if;
  end $$`.execute(db)
}

/** One proof serves everybody who asks within this time: the endpoint is public, and a proof waits for the disk. */
const FRESH_MS = 1_000

const DEADLINE_MS = 2_000

interface ReadinessOptions {
  /** Resolves when the storage has taken a write. */
  prove: () => Promise<void>
  freshMs?: number
  deadlineMs?: number
}

/** Whether a write succeeds now. A proof that hangs is joined, never repeated beside itself. */
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
