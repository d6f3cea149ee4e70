import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { AdminAccess } from '../http/admin-request.ts'
import { countSubscriptions } from './count-subscriptions.ts'
import { measureQueue } from './measure-queue.ts'
import { type NewsletterDeps, registerNewsletter } from './register-newsletter.ts'
import { registerSubscriptions } from './register-subscriptions.ts'

interface NewsletterParts {
  config: Config
  db: Db
  /** Called when a subscription waits to be sent. */
  wake: () => void
}

/** Subscriptions: taken from the page, counted, and shown to administrators. */
export function composeNewsletter({ config: { newsletter }, db, wake }: NewsletterParts) {
  return {
    measureQueue: () => measureQueue(db),
    countSubscriptions: (spans: Parameters<typeof countSubscriptions>[1]) => countSubscriptions(db, spans),
    registerAdmin: (scope: FastifyInstance, access: AdminAccess) =>
      registerSubscriptions(scope, {
        ...access,
        db,
        delivers: newsletter.webhookUrl !== null,
        onRequeued: wake,
      }),
    registerPublic: (scope: FastifyInstance, ports: Omit<NewsletterDeps, 'db' | 'onStored'>) =>
      registerNewsletter(scope, { ...ports, db, onStored: wake }),
  }
}
