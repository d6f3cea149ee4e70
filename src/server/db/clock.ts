import { sql } from 'kysely'
import type { InstallationProblem } from '#contract/admin-page.ts'
import { DAY_MS, HOUR_MS } from '#contract/durations.ts'
import type { Db } from './database.ts'
import { engineOf } from './dialect.ts'

/** A weekend without the server is no jump; the shortest expiry of data that cannot be restored is two days. */
const MOST_JUMP_MS = 3 * DAY_MS

/** Compared with PostgreSQL's clock, which runs while this process does not. */
const MOST_DIFFERENCE_MS = HOUR_MS

/** Beyond this difference, two processes order their writes wrongly. */
const WORTH_SAYING_MS = 5_000

export interface ClockState {
  /** This process's time. */
  now: number
  /** When a sweep last accepted the clock, or somebody confirmed it. */
  seenAt: number
  /** How far this clock is ahead of PostgreSQL's, minus the round trip; 0 with SQLite. */
  aheadOfPostgresMs: number
  /** Why nothing may be deleted by age; null if the clock is trusted. */
  distrust: 'jumped' | 'differs' | null
}

/** Compares the clock with the last accepted time. Everything that deletes rows by age calls this first. */
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

/** The certain distance between `other` and the time between `before` and `after`. */
function distance(other: number, before: number, after: number): number {
  if (other < before) return before - other
  return other > after ? after - other : 0
}

/** Reads the clock and stores it as accepted if it is trusted. */
export async function acceptClock(db: Db, clock?: () => number): Promise<ClockState> {
  const state = await readClock(db, clock)
  if (state.distrust === null)
    await db
      .updateTable('site_state')
      .set({ clock_seen_at: new Date(state.now).toISOString() })
      .execute()
  return state
}

/** The problem to show; null if there is none. */
export function describeClock(state: ClockState): InstallationProblem | null {
  const { now, seenAt, aheadOfPostgresMs, distrust } = state
  if (distrust === 'jumped') {
    const days = Math.round(Math.abs(now - seenAt) / DAY_MS)
    const direction = now > seenAt ? 'adiantado' : 'atrasado'
    return {
      code: 'clock_jumped',
      message: `O relógio do servidor marca ${show(now)}, ${days} dias ${direction} em relação à última verificação (${show(seenAt)}). Até alguém confirmar a hora, nada é apagado por prazo. Se o relógio estiver errado, acerte a hora: a limpeza volta automaticamente. Se estiver certo, confirme aqui ou com "npm run admin -- confirm-clock".`,
    }
  }
  const seconds = Math.round(Math.abs(aheadOfPostgresMs) / 1000)
  const difference = `O relógio do servidor está ${seconds} s ${aheadOfPostgresMs > 0 ? 'à frente' : 'atrás'} do relógio do PostgreSQL.`
  if (distrust === 'differs')
    return {
      code: 'clock_differs',
      message: `${difference} Com essa diferença, nada é apagado por prazo. Sincronize os dois por NTP.`,
    }
  return Math.abs(aheadOfPostgresMs) > WORTH_SAYING_MS
    ? { code: 'clock_differs', message: `${difference} Sincronize os dois por NTP.` }
    : null
}

const show = (time: number) => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`
