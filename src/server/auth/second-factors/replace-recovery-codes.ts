import { randomUUID } from 'node:crypto'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { locked } from '#server/db/locked.ts'
import type { AuthContext } from '../auth-context.ts'
import { sendNotice } from '../mail/send-notice.ts'
import type { UserRow } from '../users/user-object.ts'
import { hashRecoveryCode, makeRecoveryCode } from './recovery-code.ts'

const COUNT = 10

/** Ten new codes, shown this once; the old ones are worth nothing from here on. */
export async function replaceRecoveryCodes(context: AuthContext, user: UserRow): Promise<string[]> {
  const { db, codeSecret } = context
  const codes = new Set<string>()
  while (codes.size < COUNT) codes.add(makeRecoveryCode())
  const created_at = new Date().toISOString()
  const rows = [...codes].map((code) => ({
    id: randomUUID(),
    user_id: user.id,
    code_hash: hashRecoveryCode(codeSecret, user.id, code),
    created_at,
  }))
  await change(db, async (trx) => {
    // Two at once would each delete what was there before, and leave the codes of both.
    await locked(trx, trx.selectFrom('auth_users').select('id').where('id', '=', user.id)).execute()
    await trx.deleteFrom('auth_recovery_codes').where('user_id', '=', user.id).execute()
    await trx.insertInto('auth_recovery_codes').values(rows).execute()
    await recordAudit(trx, {
      actor_id: user.id,
      actor: user.email,
      action: 'auth.recovery_codes_replaced',
      subject: user.id,
    })
  })
  sendNotice(context, { user, kind: 'recovery-codes', by: 'self' })
  return [...codes]
}
