import type { Db } from '#server/db/database.ts'
import { createLogger, type Logger } from '#server/http/logging/logger.ts'
import { OutgoingClient } from '#server/http/outgoing.ts'
import { newsletterChannel } from '#server/newsletter/webhook.ts'
import { OutboxWorker, type OutboxWorkerDeps } from '#server/outbox/worker.ts'

export interface NewsletterWorkerOptions {
  db: Db
  webhook: { webhookUrl: string | null; webhookSecret: string | null }
  log?: Pick<Logger, 'info' | 'warn' | 'error'>
  now?: () => number
  timing?: OutboxWorkerDeps['timing'] & { timeoutMs?: number }
}

/** The outbox worker with the newsletter only. */
export function makeNewsletterWorker({
  db,
  webhook,
  log = createLogger('silent'),
  now,
  timing: { timeoutMs, ...timing } = {},
}: NewsletterWorkerOptions): OutboxWorker {
  const client = new OutgoingClient({ httpsProxy: null, noProxy: null })
  const channel = newsletterChannel({
    webhook,
    client,
    log,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  return new OutboxWorker({ db, channels: [channel], log, timing, ...(now === undefined ? {} : { now }) })
}
