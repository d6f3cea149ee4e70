import { sql } from 'kysely'
import type { InstallationProblem } from '#contract/admin-page.ts'
import type { Db } from './database.ts'
import { engineOf } from './dialect.ts'

const DAY_MS = 86_400_000

/** A weekend without the server is no jump; what expires soonest and cannot be had again waits for two days. */
const MOST_JUMP_MS = 3 * DAY_MS

/** Against PostgreSQL's own clock, which runs while this process does not. */
const MOST_DIFFERENCE_MS = 3_600_000

/** Two replicas that differ by more than this order what they write wrongly. */
const WORTH_SAYING_MS = 5_000

export interface ClockState {
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
export async function acceptClock(db: Db, clock?: () => number): Promise<ClockState> {
  const state = await readClock(db, clock)
  if (state.distrust === null)
    await db
      .updateTable('site_state')
      .set({ clock_seen_at: new Date(state.now).toISOString() })
      .execute()
  return state
}

/** The problem to show; null when there is none. */
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
