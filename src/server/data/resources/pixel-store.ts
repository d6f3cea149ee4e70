import type { Db } from '#server/db/database.ts'
import type { SecretPort } from '#server/db/secret-port.ts'
import type { Caller } from '#server/http/caller.ts'
import type { Column, Row, Store } from '../resource.ts'
import { trashStore } from '../trash/trash-store.ts'
import { refuseDelivery } from './refuse-delivery.ts'

/** What decides whether and how the server can send for a pixel. */
const SENDING_COLUMNS = ['type', 'pixel_id', 'delivery', 'webhook_url', 'send_hashed_email'] as const

/** The rows of the table, and the secret of each, which lies sealed in a table of its own that nothing reads back. */
export function pixelStore(table: string, columns: readonly Column[], secrets: SecretPort): Store {
  const store = trashStore(
    table,
    columns.filter(({ name }) => name !== 'access_token'),
  )
  return {
    ...store,
    async insert(trx: Db, row: Row, caller: Caller) {
      const { access_token, ...rest } = noteSecret(row)
      refuseDelivery({ ...rest, access_token })
      const stored = await store.insert(trx, rest, caller)
      // An id that comes back from the trash has its secret still; a row that is written anew has its own or none.
      if (access_token !== undefined || rest.has_access_token !== true)
        await keepSecret(trx, secrets, String(row.id), access_token)
      return stored
    },
    async update(trx: Db, before: Row, after: Row, caller: Caller) {
      // The secret is the former vendor's.
      if (after.type !== before.type && after.access_token === undefined && before.has_access_token === true)
        after.access_token = null
      Object.assign(after, noteSecret(after))
      const { access_token, ...rest } = after
      const isTouched =
        access_token !== undefined || SENDING_COLUMNS.some((name) => before[name] !== after[name])
      if (isTouched) refuseDelivery(after)
      await store.update(trx, before, rest, caller)
      if (access_token !== undefined) await keepSecret(trx, secrets, String(after.id), access_token)
      if (isTouched) await resumeSending(trx, String(after.id))
    },
  }
}

/** What the row tells of its secret. */
function noteSecret(row: Row): Row {
  if (row.access_token === undefined) return row
  const isKept = row.access_token !== null
  return {
    ...row,
    has_access_token: isKept,
    access_token_stored_at: isKept ? new Date().toISOString() : null,
  }
}

async function keepSecret(trx: Db, secrets: SecretPort, pixelId: string, token: unknown): Promise<void> {
  if (typeof token !== 'string') {
    await trx.deleteFrom('pixel_secrets').where('pixel_id', '=', pixelId).execute()
    return
  }
  const place = { table: 'pixel_secrets', column: 'value', row: pixelId }
  const value = await secrets.seal(trx, place, token)
  await trx
    .insertInto('pixel_secrets')
    .values({ pixel_id: pixelId, value })
    .onConflict((conflict) => conflict.column('pixel_id').doUpdateSet({ value }))
    .execute()
}

/** What waited for this change is tried at once. */
async function resumeSending(trx: Db, pixelId: string): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('delivery_stops')
    .where('pixel_id', '=', pixelId)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return
  await trx
    .updateTable('deliveries')
    .set({ next_attempt_at: new Date().toISOString() })
    .where('pixel_id', '=', pixelId)
    .execute()
}
