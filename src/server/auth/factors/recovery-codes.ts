import { randomInt, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/errors.ts'
import { keyedHash } from '#server/secrets/tokens.ts'
import { sendNotice } from '../account-mail.ts'
import { type AccountState, changeAccount, type Who } from '../accounts/change-account.ts'
import { deleteRecoveryCodes } from '../accounts/credentials.ts'
import type { AuthContext } from '../context.ts'
import { hasSecondFactor, raiseSession, requireSecondFactor } from './second-factor.ts'

/** Counts as a second factor: raises the session to `aal2`. Returns how many codes are left. */
export async function spendRecoveryCode(context: AuthContext, who: Who, code: string): Promise<number> {
  const { db, codeSecret } = context
  const hash = hashRecoveryCode(codeSecret, who.userId, code)
  await changeAccount(db, who, {
    check: requireFactorToReplace,
    write: async (account) => {
      const { numUpdatedRows } = await account.trx
        .updateTable('auth_recovery_codes')
        .set({ used_at: new Date().toISOString() })
        .where('user_id', '=', account.user.id)
        .where('code_hash', '=', hash)
        .where('used_at', 'is', null)
        .executeTakeFirst()
      if (numUpdatedRows === 0n)
        throw new AppError(422, 'recovery_code_invalid', 'The recovery code is wrong or was used already')
      await raiseSession(context, account, 'recovery_code')
      await account.audit('auth.recovery_code_used')
    },
  })
  return countRecoveryCodes(db, who.userId)
}

/** Number of unused codes. */
export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const { left } = await db
    .selectFrom('auth_recovery_codes')
    .select(sql<number>`count(*)`.as('left'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return left
}

const COUNT = 10

/** Makes ten new codes, shown only now; the old ones become invalid. */
export async function replaceRecoveryCodes(context: AuthContext, who: Who): Promise<string[]> {
  const { db, codeSecret } = context
  const codes = new Set<string>()
  while (codes.size < COUNT) codes.add(makeRecoveryCode())
  const created_at = new Date().toISOString()
  const rows = [...codes].map((code) => ({
    id: randomUUID(),
    user_id: who.userId,
    code_hash: hashRecoveryCode(codeSecret, who.userId, code),
    created_at,
  }))
  await changeAccount(db, who, {
    check: (account) => {
      requireSecondFactor(account, 'own_account')
      requireFactorToReplace(account)
    },
    write: async (account) => {
      await deleteRecoveryCodes(account)
      await account.trx.insertInto('auth_recovery_codes').values(rows).execute()
      await account.audit('auth.recovery_codes_replaced')
      await sendNotice(context, account.trx, { user: account.user, kind: 'recovery-codes', by: 'self' })
    },
  })
  return [...codes]
}

/** Recovery codes replace a second factor; without one they are refused. */
export function requireFactorToReplace(account: AccountState): void {
  if (!hasSecondFactor(account))
    throw new AppError(422, 'mfa_factor_not_found', 'Recovery codes stand in for a second factor')
}

/** Without letters and digits that are misread on paper. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

const HALF = 5

/** 49 bits: `k7m2p-9xqrt`. */
function makeRecoveryCode(): string {
  const half = () => Array.from({ length: HALF }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return `${half()}-${half()}`
}

/** Capitals, spaces and dashes are ignored. */
function hashRecoveryCode(secret: string, userId: string, code: string): string {
  return keyedHash(secret, `recovery:${userId}`, code.toLowerCase().replace(/[^a-z0-9]/g, ''))
}
