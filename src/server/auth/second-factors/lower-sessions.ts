import type { Db } from '#server/db/database.ts'

const SECOND_FACTORS = ['totp', 'mfa/webauthn', 'recovery_code']

/** After a verified factor is gone, nothing of this person counts as having shown one. */
export async function lowerSessions(trx: Db, userId: string): Promise<void> {
  for (const table of ['auth_logins', 'auth_sessions'] as const) {
    const raised = await trx
      .selectFrom(table)
      .select(['id', 'amr'])
      .where('user_id', '=', userId)
      .where('aal', '=', 'aal2')
      .execute()
    for (const { id, amr } of raised) {
      const rest = JSON.stringify(amr.filter((entry) => !SECOND_FACTORS.includes(entry.method)))
      await trx.updateTable(table).set({ aal: 'aal1', amr: rest }).where('id', '=', id).execute()
    }
  }
  const left = await trx
    .selectFrom('auth_factors')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '=', 'verified')
    .executeTakeFirst()
  // A recovery code stands in for a factor; without one it opens nothing.
  if (left === undefined) await trx.deleteFrom('auth_recovery_codes').where('user_id', '=', userId).execute()
}
