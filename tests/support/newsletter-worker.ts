import type { Db } from '#server/db/database.ts'
import { DeliveryWorker, type DeliveryWorkerDeps } from '#server/deliveries/delivery-worker.ts'
import { newsletterLane } from '#server/deliveries/newsletter/newsletter-lane.ts'
import { OutgoingClient } from '#server/deliveries/outgoing-client.ts'
import { createLogger, type Logger } from '#server/http/logger.ts'

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
  const lane = newsletterLane({ webhook, client, log, ...(timeoutMs === undefined ? {} : { timeoutMs }) })
  return new DeliveryWorker({ db, sources: [lane], log, timing, ...(now === undefined ? {} : { now }) })
}
