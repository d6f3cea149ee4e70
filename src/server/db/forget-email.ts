import type { NotNull } from 'kysely'
import { countSettled } from './count-settled.ts'
import type { Db } from './database.ts'
import { hashEmail } from './hash-email.ts'

/** Deletes whatever waits with the hash of an address, and counts the events that are now told to nobody. */
export async function forgetEmail(trx: Db, email: string): Promise<void> {
  const hash = hashEmail(email)
  if (hash === null) return
  await trx.deleteFrom('sign_up_hashes').where('email_hash', '=', hash).execute()
  const rows = await trx
    .deleteFrom('deliveries')
    .where('email_hash', '=', hash)
    .returning(['pixel_id', 'created_at'])
    .$narrowType<{ pixel_id: NotNull }>()
    .execute()
  await countSettled(
    trx,
    rows.map((row) => ({ ...row, state: 'withheld' as const, reason: '' })),
  )
}
