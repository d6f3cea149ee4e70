import { recordAudit } from '#server/activity/trail.ts'
import type { Db } from '#server/db/database.ts'
import { OPERATOR_ACTOR } from '#server/http/security/administrators.ts'
import type { SecretPlace } from '#server/secrets/secrets.ts'
import { forgetDaySecrets } from '#server/visits/visitors.ts'
import { type LockedAccount, lockAccount } from '../accounts/change-account.ts'
import { deleteEveryRecoveryCode, deleteFactors, deleteRecoveryCodes } from '../accounts/credentials.ts'
import { requireFactor } from '../factors/second-factor.ts'
import { endEverySession, endSessions } from '../sessions/revoke.ts'
import { CODE_SECRET, SIGNING_KEY_SECRET } from './app-secrets.ts'

export interface GivenUp {
  /** People who lost their second factor. */
  people: string[]
  /** Every session and API key ended. */
  signingKey: boolean
  /** Recovery codes, and unused emailed codes and links. */
  codes: boolean
  /** Pixels whose token must be saved again before the server can send for them. */
  pixels: string[]
}

/** Deletes what cannot be decrypted, with everything that depends on it. The next start makes new keys. */
export async function giveUpSecrets(trx: Db, unreadable: readonly SecretPlace[]): Promise<GivenUp> {
  const rowsOf = (table: string) => unreadable.filter((place) => place.table === table).map(({ row }) => row)
  const names = rowsOf('app_secrets')
  const given: GivenUp = {
    people: await removeFactors(trx, rowsOf('auth_factors')),
    signingKey: names.includes(SIGNING_KEY_SECRET),
    codes: names.includes(CODE_SECRET),
    pixels: await removePixelTokens(trx, rowsOf('pixel_secrets')),
  }
  // Emails that cannot be decrypted: people must request them again.
  const mails = rowsOf('deliveries')
  if (mails.length > 0) await trx.deleteFrom('deliveries').where('id', 'in', mails).execute()
  // The chat of alerts must be connected again.
  if (rowsOf('alert_webhooks').length > 0) await trx.deleteFrom('alert_webhooks').execute()
  await forgetDaySecrets(trx, rowsOf('visit_secrets'))
  for (const name of names) await trx.deleteFrom('app_secrets').where('name', '=', name).execute()
  if (given.signingKey) await endEverySession(trx)
  if (given.codes) {
    await deleteEveryRecoveryCode(trx)
    await trx.deleteFrom('auth_one_time_tokens').execute()
  }
  if (unreadable.length > 0)
    await recordAudit(trx, {
      ...OPERATOR_ACTOR,
      action: 'auth.secrets_discarded',
      before: { app_secrets: names, factors: rowsOf('auth_factors'), pixels: rowsOf('pixel_secrets') },
    })
  return given
}

async function removePixelTokens(trx: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  await trx.deleteFrom('pixel_secrets').where('pixel_id', 'in', ids).execute()
  const pixels = await trx
    .updateTable('tracking_pixels')
    .set({ has_access_token: false, access_token_stored_at: null })
    .where('id', 'in', ids)
    .returning('name')
    .execute()
  return pixels.map(({ name }) => name).sort()
}

async function removeFactors(trx: Db, ids: readonly string[]): Promise<string[]> {
  const owners = new Map<string, LockedAccount>()
  for (const id of ids) {
    const { user_id: userId } = await trx
      .selectFrom('auth_factors')
      .select('user_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const account = await lockAccount(trx, { userId })
    const { status } = requireFactor(account, id)
    await deleteFactors(account, id)
    if (status === 'verified') owners.set(userId, account)
  }
  for (const account of owners.values()) {
    await deleteRecoveryCodes(account)
    await endSessions(account, 'all')
  }
  return [...owners.values()].map(({ user }) => user.email).sort()
}
