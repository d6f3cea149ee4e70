import { randomUUID } from 'node:crypto'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import type { SecretPort } from '#server/db/secret-port.ts'
import { HOUR_MS } from '../back-off.ts'

/** A mail as it is sent. */
export interface QueuedMail {
  /** Named in logs, where the address is not. */
  kind: string
  to: string
  subject: string
  text: string
  html: string
}

/** News of the day is none the day after. */
const USEFUL_MS = 24 * HOUR_MS

export const mailPlace = (row: string) => ({ table: 'deliveries', column: 'sealed', row })

type MailToQueue = QueuedMail & { usefulMs?: number }

/** Resolves when the mail is durable. */
export async function queueMail(
  { db, secrets }: { db: Db; secrets: SecretPort },
  mail: MailToQueue,
  now = Date.now(),
): Promise<void> {
  await change(db, (trx) => storeMail(trx, secrets, mail, now))
}

/** In the transaction of what it tells of. A mail can hold a link that signs in: nobody who reads the database reads it. */
export async function storeMail(
  trx: Db,
  secrets: SecretPort,
  { usefulMs = USEFUL_MS, ...mail }: MailToQueue,
  now = Date.now(),
): Promise<void> {
  const id = randomUUID()
  const at = new Date(now).toISOString()
  const sealed = await secrets.seal(trx, mailPlace(id), JSON.stringify(mail))
  await trx
    .insertInto('deliveries')
    .values({
      id,
      kind: 'mail',
      payload: '{}',
      sealed,
      next_attempt_at: at,
      created_at: at,
      expires_at: new Date(now + usefulMs).toISOString(),
    })
    .execute()
}
