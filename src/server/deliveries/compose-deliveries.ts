import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { SecretPort } from '../db/secret-port.ts'
import type { AdminAccess } from '../http/admin-request.ts'
import type { Logger } from '../http/logger.ts'
import { copyTestEvent } from './copy-test-event.ts'
import { DeliveryWorker } from './delivery-worker.ts'
import { describeStop } from './describe-stop.ts'
import { type MailLaneDeps, mailLane } from './mail/mail-lane.ts'
import { type QueuedMail, queueMail, storeMail } from './mail/queue-mail.ts'
import { measureDeliveries } from './measure-deliveries.ts'
import { newsletterLane } from './newsletter/newsletter-lane.ts'
import { OutgoingClient } from './outgoing-client.ts'
import { pixelLanes } from './pixels/pixel-lanes.ts'
import { registerDeliveryAdmin } from './register-delivery-admin.ts'
import type { TestEvent } from './send-test-event.ts'

/** A vendor's script has some hundred kilobytes. */
const VENDOR_FILE_BYTES = 4_000_000

interface DeliveryParts {
  config: Config
  db: Db
  secrets: SecretPort
  log: Logger
  sendMail: MailLaneDeps['send']
  mailAdministrators: (news: ReturnType<typeof describeStop>) => void
  /** Told what each attempt came to. */
  onSettled: (kind: string, state: string) => void
}

/** All that leaves this machine: the queue of deliveries with what empties it, and the clients that ask other servers. */
export function composeDeliveries(parts: DeliveryParts) {
  const { config, db, secrets, log, sendMail, mailAdministrators, onSettled } = parts
  const client = new OutgoingClient(config.outgoing)
  const files = new OutgoingClient({ ...config.outgoing, maxAnswerBytes: VENDOR_FILE_BYTES })
  const sending = { db, secrets, client, siteUrl: config.siteUrl, graphVersion: config.outgoing.graphVersion }
  const worker = new DeliveryWorker({
    db,
    log,
    sources: [
      pixelLanes({
        ...sending,
        log,
        onStopped: (...stopped) => mailAdministrators(describeStop(...stopped)),
        onSettled,
      }),
      newsletterLane({
        webhook: config.newsletter,
        client,
        log,
        onSettled: (state) => onSettled('newsletter', state),
      }),
      mailLane({ secrets, log, send: sendMail, onSettled: (state) => onSettled('mail', state) }),
    ],
  })
  const wake = () => worker.wake()
  return {
    /** Something was stored: look at once. */
    wake,
    queueMail: async (mail: QueuedMail): Promise<void> => {
      await queueMail(sending, mail)
      wake()
    },
    /** In the transaction of what it tells of; it is sent when the queue is next looked at. */
    storeMail: (trx: Db, mail: QueuedMail) => storeMail(trx, secrets, mail),
    measure: () => measureDeliveries(db),
    copyTestEvent: (pixelId: string, event: TestEvent) => copyTestEvent(sending, pixelId, event),
    /** Null where the operator does not let the server ask vendors. */
    fetchVendorFile: config.outgoing.checksFiles
      ? (url: string, signal: AbortSignal) => files.fetchFile(url, signal)
      : null,

    registerAdmin: (scope: FastifyInstance, access: AdminAccess) =>
      registerDeliveryAdmin(scope, { ...access, ...sending, retention: config.retention, wake }),

    /** `beforeStop` queues what is still being written, so that it leaves with the rest. */
    runWith: (app: FastifyInstance, { beforeStop }: { beforeStop: () => Promise<void> }): void => {
      app.addHook('onReady', async () => worker.start())
      app.addHook('onClose', async () => {
        await beforeStop()
        await worker.stop()
        await Promise.all([client.close(), files.close()])
      })
    },
  }
}
