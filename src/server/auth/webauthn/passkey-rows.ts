import { randomUUID } from 'node:crypto'
import type { WebAuthnCredential } from '@simplewebauthn/server'
import type { Selectable } from 'kysely'
import type { AuthPasskeys } from '#server/db/auth-schema.ts'
import type { Db } from '#server/db/database.ts'
import { authError, validationFailed } from '../protocol/auth-error.ts'
import type { LockedAccount } from '../users/change-account.ts'
import { verificationFailed } from './read-credential.ts'

export type PasskeyRow = Selectable<AuthPasskeys>

/** Oldest first: those that sign in, or those of second factors as well. */
export function findPasskeys(db: Db, userId: string, which: 'sign-in' | 'all'): Promise<PasskeyRow[]> {
  return db
    .selectFrom('auth_passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .$if(which === 'sign-in', (query) => query.where('factor_id', 'is', null))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

interface NewPasskey {
  factorId: string | null
  credential: WebAuthnCredential
}

export async function insertPasskey(
  { trx, user }: LockedAccount,
  { factorId, credential }: NewPasskey,
): Promise<PasskeyRow> {
  const at = new Date().toISOString()
  const row = await trx
    .insertInto('auth_passkeys')
    .values({
      id: randomUUID(),
      user_id: user.id,
      factor_id: factorId,
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      sign_count: credential.counter,
      transports: JSON.stringify(credential.transports ?? []),
      friendly_name: '',
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row === undefined)
    throw authError(422, 'webauthn_credential_exists', 'This credential is already registered')
  return row
}

/** Of two that show one count at once, and where the key was removed meanwhile, the later finds it gone. */
export async function recordUse({ trx }: LockedAccount, key: PasskeyRow, signCount: number): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('auth_passkeys')
    .set({ sign_count: signCount, last_used_at: new Date().toISOString() })
    .where('id', '=', key.id)
    .where('sign_count', '=', key.sign_count)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw verificationFailed()
}

/** Gives the key with its new name. */
export async function renamePasskey(
  { trx, user }: LockedAccount,
  id: string,
  friendly_name: string,
): Promise<PasskeyRow> {
  const key = await trx
    .updateTable('auth_passkeys')
    .set({ friendly_name, updated_at: new Date().toISOString() })
    .where('id', '=', id)
    .where('user_id', '=', user.id)
    .where('factor_id', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (key === undefined) throw passkeyNotFound()
  return key
}

/** One that signs in. */
export async function deletePasskey({ trx, user }: LockedAccount, id: string): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('auth_passkeys')
    .where('id', '=', id)
    .where('user_id', '=', user.id)
    .where('factor_id', 'is', null)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw passkeyNotFound()
}

export async function deletePasskeys({ trx, user }: LockedAccount, which: 'sign-in' | 'all'): Promise<void> {
  await trx
    .deleteFrom('auth_passkeys')
    .where('user_id', '=', user.id)
    .$if(which === 'sign-in', (query) => query.where('factor_id', 'is', null))
    .execute()
}

export function passkeyNotFound(): Error {
  return validationFailed('Passkey not found', 404)
}

/** As the protocol lists it. */
export function toPasskeyObject(key: PasskeyRow): Record<string, unknown> {
  return {
    id: key.id,
    ...(key.friendly_name === '' ? {} : { friendly_name: key.friendly_name }),
    created_at: key.created_at,
    ...(key.last_used_at === null ? {} : { last_used_at: key.last_used_at }),
  }
}
