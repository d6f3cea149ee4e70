import { randomUUID } from 'node:crypto'
import { recordAudit } from '#server/activity/trail.ts'
import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/dialect.ts'
import { change } from '#server/db/transactions/change.ts'
import { OPERATOR_ACTOR } from '#server/http/security/administrators.ts'

export interface ApiKeyRow {
  id: string
  name: string
  created_at: string
  expires_at: string | null
  revoked_at: string | null
}

/** Null if the name is taken: names identify keys. */
export function insertApiKey(
  db: Db,
  name: string,
  expiresAt: Date | null,
  now = new Date(),
): Promise<ApiKeyRow | null> {
  return change(db, async (trx) => {
    const row = await trx
      .insertInto('auth_api_keys')
      .values({
        id: randomUUID(),
        name,
        created_at: now.toISOString(),
        expires_at: expiresAt?.toISOString() ?? null,
        revoked_at: null,
      })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returningAll()
      .executeTakeFirst()
    if (row === undefined) return null
    await recordAudit(trx, {
      ...OPERATOR_ACTOR,
      action: 'auth.api_key_made',
      subject: row.id,
      after: { name },
    })
    return row
  })
}

export function listApiKeys(db: Db): Promise<ApiKeyRow[]> {
  return db.selectFrom('auth_api_keys').selectAll().orderBy('created_at').orderBy('name').execute()
}

/** False if there is no valid key of this name. Running servers notice within seconds. */
export function revokeApiKey(db: Db, name: string, now = new Date()): Promise<boolean> {
  return change(db, async (trx) => {
    const found = await locked(
      trx,
      trx.selectFrom('auth_api_keys').select('id').where('name', '=', name).where('revoked_at', 'is', null),
    ).executeTakeFirst()
    if (found === undefined) return false
    await trx
      .updateTable('auth_api_keys')
      .set({ revoked_at: now.toISOString() })
      .where('id', '=', found.id)
      .execute()
    await recordAudit(trx, {
      ...OPERATOR_ACTOR,
      action: 'auth.api_key_revoked',
      subject: found.id,
      before: { name },
    })
    return true
  })
}

export async function readRevokedKeys(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('auth_api_keys').select('id').where('revoked_at', 'is not', null).execute()
  return new Set(rows.map(({ id }) => id))
}
