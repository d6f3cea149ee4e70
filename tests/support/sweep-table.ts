import { LOGIN_IDLE_MS } from '#server/auth/sessions/cookies.ts'
import { SESSION_IDLE_MS } from '#server/auth/sessions/revoke.ts'
import { parseConfig } from '#server/config.ts'
import { SIGN_UP_HASH_MS } from '#server/conversions/sign-up-email.ts'
import type { Db } from '#server/db/database.ts'
import { type Kept, retention } from '#server/db/retention.ts'
import type { TableName } from '#server/db/schema/index.ts'
import { sweepRows } from '#server/db/sweep.ts'
import { GUESSES_KEPT_MS } from '#server/http/limits/counter.ts'

/** Default retention. */
export const KEPT: Kept = {
  ...parseConfig({}).retention,
  loginIdleMs: LOGIN_IDLE_MS,
  sessionIdleMs: SESSION_IDLE_MS,
  rateLimitMs: GUESSES_KEPT_MS,
  signUpHashMs: SIGN_UP_HASH_MS,
}

interface SweptOptions {
  kept?: Partial<Kept>
  now?: number
  signal?: AbortSignal
}

/** Runs the retention rows of one table. */
export async function sweepTable(
  db: Db,
  table: TableName,
  { kept, now, signal }: SweptOptions = {},
): Promise<void> {
  const rows = retention({ ...KEPT, ...kept }).filter((row) => row.table === table)
  if (rows.length === 0) throw new Error(`no retention for ${table}`)
  for (const row of rows) await sweepRows(db, row, signal, now)
}
