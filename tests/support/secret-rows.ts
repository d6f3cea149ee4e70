import { randomUUID } from 'node:crypto'
import { Secret } from 'otpauth'
import { recordAudit } from '#server/activity/trail.ts'
import type { Db } from '#server/db/database.ts'
import type { Secrets } from '#server/secrets/secrets.ts'

/** One encrypted value of a database. */
export interface SecretRow {
  table: 'auth_factors' | 'app_secrets'
  column: string
  row: string
  text: string
}

/** Stores a person's second factor and an app secret; in plain text without `secrets`, like older versions. */
export async function insertSecrets(
  db: Db,
  secrets: Secrets | null,
  email = `${randomUUID()}@exemplo.com.br`,
): Promise<SecretRow[]> {
  const at = new Date().toISOString()
  const [userId, factorId, name] = [randomUUID(), randomUUID(), `test-${randomUUID()}`]
  const rows: SecretRow[] = [
    { table: 'auth_factors', column: 'secret', row: factorId, text: new Secret({ size: 20 }).base32 },
    { table: 'app_secrets', column: 'value', row: name, text: `{"kty":"EC","d":"${randomUUID()}"}` },
  ]
  await db.transaction().execute(async (trx) => {
    const [secret = '', value = ''] = await Promise.all(
      rows.map((row) => (secrets === null ? row.text : secrets.encrypt(trx, row, row.text))),
    )
    const person = { id: userId, email, user_metadata: '{}', app_metadata: '{}' }
    await trx
      .insertInto('auth_users')
      .values({ ...person, created_at: at, updated_at: at })
      .execute()
    const factor = { id: factorId, user_id: userId, friendly_name: 'Celular', secret } as const
    await trx
      .insertInto('auth_factors')
      .values({ ...factor, factor_type: 'totp', status: 'verified', created_at: at, updated_at: at })
      .execute()
    await trx.insertInto('app_secrets').values({ name, value, created_at: at }).execute()
    await recordAudit(trx, { actor_id: null, actor: 'test', action: 'test.secrets_made' })
  })
  return rows
}

export async function readStored(db: Db, { table, row }: SecretRow): Promise<string> {
  if (table === 'app_secrets') {
    const query = db.selectFrom('app_secrets').select('value').where('name', '=', row)
    return (await query.executeTakeFirstOrThrow()).value
  }
  const query = db.selectFrom('auth_factors').select('secret').where('id', '=', row)
  return (await query.executeTakeFirstOrThrow()).secret
}

/** The decrypted texts of the rows. */
export function openAll(db: Db, secrets: Secrets, rows: readonly SecretRow[]): Promise<string[]> {
  return Promise.all(rows.map(async (row) => secrets.decrypt(row, await readStored(db, row))))
}

export const textsOf = (rows: readonly SecretRow[]): string[] => rows.map(({ text }) => text)
