import { expect } from 'vitest'
import { accountMailChannel } from '#server/auth/account-mail.ts'
import type { AuthContext } from '#server/auth/context.ts'
import { createLogger, type Logger } from '#server/http/logging/logger.ts'
import { mailChannel } from '#server/mail/channel.ts'
import type { OutgoingMail, SendMail } from '#server/mail/transport.ts'
import { OutboxWorker } from '#server/outbox/worker.ts'

interface Options {
  log?: Pick<Logger, 'warn' | 'error'>
  /** Where emails go besides the returned list. */
  send?: SendMail
}

/** Runs the outbox until no email waits, and returns the sent ones. */
export async function sendQueuedMail(
  context: AuthContext,
  { log = createLogger('silent'), send = async () => {} }: Options = {},
): Promise<OutgoingMail[]> {
  const { db, secrets } = context
  const sent: OutgoingMail[] = []
  const note: SendMail = async (mail) => {
    await send(mail)
    sent.push(mail)
  }
  const worker = new OutboxWorker({
    db,
    log,
    channels: [accountMailChannel(context, log), mailChannel({ secrets, send: note, log })],
    timing: { pollMs: 20 },
  })
  worker.start()
  const waiting = () =>
    db.selectFrom('deliveries').select('kind').where('kind', 'in', ['mail', 'account-mail']).execute()
  await expect.poll(waiting, { interval: 20, timeout: 30_000 }).toEqual([])
  await worker.stop()
  return sent
}
