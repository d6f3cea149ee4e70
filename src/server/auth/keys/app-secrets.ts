import type { Db } from '#server/db/database.ts'
import { change } from '#server/db/transactions/change.ts'
import type { SecretPlace, Secrets } from '#server/secrets/secrets.ts'

/** Signs tokens and API keys. */
export const SIGNING_KEY_SECRET = 'signing_key'

/** Keys the hashes of recovery codes and of codes sent by mail. */
export const CODE_SECRET = 'one_time_codes'

/** The principal's generated password, until somebody has signed in with it. */
export const FIRST_PASSWORD_SECRET = 'first_password'

/** Two processes that start at once agree: the first write wins and both read it. */
export async function readOrMakeSecret(
  db: Db,
  secrets: Secrets,
  name: string,
  make: () => Promise<string> | string,
): Promise<string> {
  const known = await readEncryptedSecret(db, name)
  if (known !== null) return decryptSecret(secrets, name, known)
  const made = await make()
  const stored = await change(db, async (trx) => {
    await trx
      .insertInto('app_secrets')
      .values({
        name,
        value: await secrets.encrypt(trx, placeOf(name), made),
        created_at: new Date().toISOString(),
      })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    return readEncryptedSecret(trx, name)
  })
  if (stored === null) throw new Error(`the secret ${name} could not be stored`)
  return decryptSecret(secrets, name, stored)
}

/** Null if there is none of this name. */
export async function readSecret(db: Db, secrets: Secrets, name: string): Promise<string | null> {
  const encrypted = await readEncryptedSecret(db, name)
  return encrypted === null ? null : decryptSecret(secrets, name, encrypted)
}

/** The encrypted text, to detect changes. */
export async function readEncryptedSecret(db: Db, name: string): Promise<string | null> {
  const row = await db.selectFrom('app_secrets').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value ?? null
}

export async function replaceSecret(trx: Db, secrets: Secrets, name: string, text: string): Promise<void> {
  await trx
    .insertInto('app_secrets')
    .values({
      name,
      value: await secrets.encrypt(trx, placeOf(name), text),
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

/** Deletes it once the principal has signed in, or has another password. Other people's sign-ins do not matter. */
export async function forgetFirstPassword(db: Db, userId: string): Promise<void> {
  await db
    .deleteFrom('app_secrets')
    .where('name', '=', FIRST_PASSWORD_SECRET)
    .where((eb) => eb.exists(eb.selectFrom('site_state').select('id').where('principal_id', '=', userId)))
    .execute()
}

function decryptSecret(secrets: Secrets, name: string, encrypted: string): Promise<string> {
  return secrets.decrypt(placeOf(name), encrypted)
}

function placeOf(name: string): SecretPlace {
  return { table: 'app_secrets', column: 'value', row: name }
}
