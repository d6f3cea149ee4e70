import { recordAudit } from '#server/activity/trail.ts'
import type { Db } from '#server/db/database.ts'
import { change } from '#server/db/transactions/change.ts'
import type { SecretPlace, SecretPort } from '#server/secrets/secrets.ts'
import { type LockedAccount, lockAccount } from '../accounts/change-account.ts'
import { deleteEveryRecoveryCode, deleteRecoveryCodes } from '../factors/recovery-codes.ts'
import { deleteFactors, requireFactor } from '../factors/second-factor.ts'
import { endEverySession, endSessions } from '../sessions/revoke.ts'
import { SIGNING_KEY_SECRET } from './key-ring.ts'

/** The principal's password that was made for it, until somebody has signed in with it. */
export const FIRST_PASSWORD_SECRET = 'first_password'

/** Two processes that start at once agree: the first to write wins and both read the same. */
export async function readOrMakeSecret(
  db: Db,
  secrets: SecretPort,
  name: string,
  make: () => Promise<string> | string,
): Promise<string> {
  const known = await readSealedSecret(db, name)
  if (known !== null) return openSecret(secrets, name, known)
  const made = await make()
  const stored = await change(db, async (trx) => {
    await trx
      .insertInto('app_secrets')
      .values({
        name,
        value: await secrets.seal(trx, placeOf(name), made),
        created_at: new Date().toISOString(),
      })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    return readSealedSecret(trx, name)
  })
  if (stored === null) throw new Error(`the secret ${name} could not be kept`)
  return openSecret(secrets, name, stored)
}

/** Null when there is none of this name. */
export async function readSecret(db: Db, secrets: SecretPort, name: string): Promise<string | null> {
  const sealed = await readSealedSecret(db, name)
  return sealed === null ? null : openSecret(secrets, name, sealed)
}

/** As it is stored: good for telling whether it changed. */
export async function readSealedSecret(db: Db, name: string): Promise<string | null> {
  const row = await db.selectFrom('app_secrets').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value ?? null
}

export async function replaceSecret(trx: Db, secrets: SecretPort, name: string, text: string): Promise<void> {
  await trx
    .insertInto('app_secrets')
    .values({
      name,
      value: await secrets.seal(trx, placeOf(name), text),
      created_at: new Date().toISOString(),
    })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({
        value: eb.ref('excluded.value'),
        created_at: eb.ref('excluded.created_at'),
      })),
    )
    .execute()
}

/** Once the principal has signed in, or has another password. Anybody else's first sign-in leaves it alone. */
export async function forgetFirstPassword(db: Db, userId: string): Promise<void> {
  await db
    .deleteFrom('app_secrets')
    .where('name', '=', FIRST_PASSWORD_SECRET)
    .where((eb) => eb.exists(eb.selectFrom('site_state').select('id').where('principal_id', '=', userId)))
    .execute()
}

function openSecret(secrets: SecretPort, name: string, sealed: string): Promise<string> {
  return secrets.open(placeOf(name), sealed)
}

function placeOf(name: string): SecretPlace {
  return { table: 'app_secrets', column: 'value', row: name }
}

/** Keys the hashes of recovery codes and of codes sent by mail. */
export const CODE_SECRET = 'one_time_codes'

export interface GivenUp {
  /** Who has no second factor any more. */
  people: string[]
  /** Every session and API key ended. */
  signingKey: boolean
  /** Recovery codes, and codes and links that were mailed and not used yet. */
  codes: boolean
  /** Names of pixels whose token has to be saved again before the server can send for them. */
  pixels: string[]
}

/** Removes what nothing can read any more, with all that depended on it. Keys are made anew by the next start. */
export async function giveUpSecrets(trx: Db, unreadable: readonly SecretPlace[]): Promise<GivenUp> {
  const rowsOf = (table: string) => unreadable.filter((place) => place.table === table).map(({ row }) => row)
  const names = rowsOf('app_secrets')
  const given: GivenUp = {
    people: await removeFactors(trx, rowsOf('auth_factors')),
    signingKey: names.includes(SIGNING_KEY_SECRET),
    codes: names.includes(CODE_SECRET),
    pixels: await removePixelTokens(trx, rowsOf('pixel_secrets')),
  }
  // Mails that nobody can read any more: who waits for one asks again.
  const mails = rowsOf('deliveries')
  if (mails.length > 0) await trx.deleteFrom('deliveries').where('id', 'in', mails).execute()
  for (const name of names) await trx.deleteFrom('app_secrets').where('name', '=', name).execute()
  if (given.signingKey) {
    await endEverySession(trx)
  }
  if (given.codes) {
    await deleteEveryRecoveryCode(trx)
    await trx.deleteFrom('auth_one_time_tokens').execute()
  }
  if (unreadable.length > 0)
    await recordAudit(trx, {
      actor_id: null,
      actor: 'command line',
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
