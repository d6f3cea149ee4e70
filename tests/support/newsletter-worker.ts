import type { Db } from '#server/db/database.ts'
import { createLogger, type Logger } from '#server/http/logging/logger.ts'
import { OutgoingClient } from '#server/http/outgoing.ts'
import { newsletterChannel } from '#server/newsletter/webhook.ts'
import { DeliveryWorker, type DeliveryWorkerDeps } from '#server/outbox/worker.ts'

export interface NewsletterWorkerOptions {
  db: Db
  webhook: { webhookUrl: string | null; webhookSecret: string | null }
  log?: Pick<Logger, 'info' | 'warn' | 'error'>
  now?: () => number
  timing?: DeliveryWorkerDeps['timing'] & { timeoutMs?: number }
}

/** The queue's worker, of the newsletter alone. */
export function makeNewsletterWorker({
  db,
  webhook,
  log = createLogger('silent'),
  now,
  timing: { timeoutMs, ...timing } = {},
}: NewsletterWorkerOptions): DeliveryWorker {
  const client = new OutgoingClient({ httpsProxy: null, noProxy: null })
  const lane = newsletterChannel({ webhook, client, log, ...(timeoutMs === undefined ? {} : { timeoutMs }) })
  return new DeliveryWorker({ db, sources: [lane], log, timing, ...(now === undefined ? {} : { now }) })
}
