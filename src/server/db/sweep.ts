import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { InstallationProblem } from '#contract/admin-page.ts'
import type { Db } from './database.ts'
import { engineOf } from './dialect.ts'

type SweptTable =
  | 'audit_events'
  | 'auth_logins'
  | 'auth_challenges'
  | 'auth_link_codes'
  | 'auth_one_time_tokens'
  | 'auth_spent_challenges'

type SweptTime = 'created_at' | 'expires_at' | 'last_used_at'

/** Deletes, in steps, the rows whose time is not after `upTo`, and gives their number. */
export async function sweepRows(
  db: Db,
  { table, time, upTo }: { table: SweptTable; time: SweptTime; upTo: string },
  signal?: AbortSignal,
): Promise<number> {
  const { ref } = db.dynamic
  return inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where('id', 'in', (eb) => eb.selectFrom(table).select('id').where(ref(time), '<=', upTo).limit(rows))
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
}

/** So many rows of a large change are one statement: it holds the write lock for some milliseconds. */
export const STEP_ROWS = 500

/**
 * Repeats a statement that changes no more than `STEP_ROWS` rows until it finds fewer, and gives their sum. Between two
 * steps everybody else has their turn. What was interrupted goes on the next time.
 */
export async function inSteps(
  step: (rows: number) => Promise<bigint>,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0
  for (let changed = STEP_ROWS; changed === STEP_ROWS && signal?.aborted !== true; ) {
    changed = Number(await step(STEP_ROWS))
    total += changed
  }
  return total
}

const MINUTE_MS = 60_000

/** The first round comes after a minute: a process that is restarted every few minutes sweeps too. */
const ROUND_MINUTES = 15

/** How many rows went, by table. */
type Removed = Readonly<Record<string, number>>

interface Sweep {
  what: string
  run: (signal: AbortSignal) => Promise<Removed>
}

declare module 'fastify' {
  interface FastifyInstance {
    sweeps: Sweep[]
  }
}

/** Removes what time has made worthless, now and then, for as long as the app runs; a failure waits for the next time. */
export function sweepRegularly(app: FastifyInstance, what: string, run: Sweep['run']): void {
  app.sweeps.push({ what, run })
}

/**
 * The one runner of all sweeps, one after the other. A clock that is not trusted stops them all. A round that is still
 * running when its time comes again goes on alone; one that runs when the app closes is told so.
 */
export function runSweeps(app: FastifyInstance, db: Db, clock?: () => number): void {
  const sweeps: Sweep[] = []
  app.decorate('sweeps', sweeps)
  const closing = new AbortController()
  let running: Promise<void> | null = null
  const runAll = async () => {
    const state = await acceptClock(db, clock)
    const problem = describeClock(state)
    if (problem !== null) {
      const facts = { ...state, now: new Date(state.now), seenAt: new Date(state.seenAt) }
      app.log[state.distrust === null ? 'warn' : 'error'](facts, problem.message)
    }
    if (state.distrust !== null) return
    for (const { what, run } of sweeps) {
      if (closing.signal.aborted) return
      try {
        const removed = await run(closing.signal)
        if (Object.values(removed).some((rows) => rows > 0))
          app.log.info({ sweep: what, removed }, 'rows past their time were removed')
      } catch (error) {
        app.log.warn({ err: error }, `${what} were not swept`)
      }
    }
  }
  let minutes = 0
  const timer = setInterval(() => {
    if (minutes++ % ROUND_MINUTES !== 0) return
    running ??= runAll()
      .catch((error) => app.log.warn({ err: error }, 'nothing was swept: the clock could not be compared'))
      .finally(() => {
        running = null
      })
  }, MINUTE_MS).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    closing.abort()
    await running
  })
}

const DAY_MS = 86_400_000

/** A weekend without the server is no jump; what expires soonest and cannot be had again waits for two days. */
const MOST_JUMP_MS = 3 * DAY_MS

/** Against PostgreSQL's own clock, which runs while this process does not. */
const MOST_DIFFERENCE_MS = 3_600_000

/** Two replicas that differ by more than this order what they write wrongly. */
const WORTH_SAYING_MS = 5_000

interface ClockState {
  /** What this process takes for the time. */
  now: number
  /** When a sweep last accepted the clock, or somebody confirmed it. */
  seenAt: number
  /** How far this clock is ahead of PostgreSQL's, less what the round trip leaves open; 0 with the embedded database. */
  aheadOfPostgresMs: number
  /** Why nothing may be removed by age; null when the clock is trusted. */
  distrust: 'jumped' | 'differs' | null
}

/** Compares the clock with what the database last saw. Everything that removes rows by their age asks this first. */
export async function readClock(db: Db, clock: () => number = Date.now): Promise<ClockState> {
  const before = clock()
  const isPostgres = engineOf(db) === 'postgres'
  const row = await db
    .selectFrom('site_state')
    .select('clock_seen_at')
    .$if(isPostgres, (query) => query.select(sql<string>`clock_timestamp()`.as('postgres_now')))
    .executeTakeFirstOrThrow()
  const now = clock()
  const seenAt = row.clock_seen_at === null ? now : Date.parse(row.clock_seen_at)
  const aheadOfPostgresMs =
    row.postgres_now === undefined ? 0 : distance(Date.parse(row.postgres_now), before, now)
  const distrust =
    Math.abs(aheadOfPostgresMs) > MOST_DIFFERENCE_MS
      ? 'differs'
      : Math.abs(now - seenAt) > MOST_JUMP_MS
        ? 'jumped'
        : null
  return { now, seenAt, aheadOfPostgresMs, distrust }
}

/** How far the moment between `before` and `after` surely is from `other`. */
function distance(other: number, before: number, after: number): number {
  if (other < before) return before - other
  return other > after ? after - other : 0
}

/** Reads the clock and, when it is trusted, remembers that it was. */
async function acceptClock(db: Db, clock?: () => number): Promise<ClockState> {
  const state = await readClock(db, clock)
  if (state.distrust === null)
    await db
      .updateTable('site_state')
      .set({ clock_seen_at: new Date(state.now).toISOString() })
      .execute()
  return state
}

/** What to tell of it; null when there is nothing to tell. */
export function describeClock(state: ClockState): InstallationProblem | null {
  const { now, seenAt, aheadOfPostgresMs, distrust } = state
  if (distrust === 'jumped') {
    const days = Math.round(Math.abs(now - seenAt) / DAY_MS)
    const direction = now > seenAt ? 'adiantado' : 'atrasado'
    return {
      code: 'clock_jumped',
      message: `O relógio do servidor marca ${show(now)}, ${days} dias ${direction} em relação à última vez em que foi conferido (${show(seenAt)}). Até que alguém confirme a hora, nada é apagado por prazo. Se o relógio estiver errado, acerte-o: a limpeza volta sozinha. Se estiver certo, confirme aqui ou com "npm run admin -- confirm-clock".`,
    }
  }
  const seconds = Math.round(Math.abs(aheadOfPostgresMs) / 1000)
  const difference = `O relógio do servidor está ${seconds} s ${aheadOfPostgresMs > 0 ? 'à frente' : 'atrás'} do relógio do PostgreSQL.`
  if (distrust === 'differs')
    return {
      code: 'clock_differs',
      message: `${difference} Enquanto diferirem tanto, nada é apagado por prazo. Acerte os dois por NTP.`,
    }
  return Math.abs(aheadOfPostgresMs) > WORTH_SAYING_MS
    ? { code: 'clock_differs', message: `${difference} Acerte os dois por NTP.` }
    : null
}

const show = (time: number) => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`
