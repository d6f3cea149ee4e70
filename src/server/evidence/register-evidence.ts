import type { FastifyInstance } from 'fastify'
import type { Db } from '../db/database.ts'
import type { PublicGuard } from '../http/guard-public-post.ts'
import type { Logger } from '../http/logger.ts'
import { sweepRegularly } from '../http/sweep-regularly.ts'
import type { ConsentPremises } from './consent-premises.ts'
import { eraseRecords } from './erase-records.ts'
import { registerReceipt } from './register-receipt.ts'
import { registerSeals } from './register-seals.ts'
import { SealWorker } from './seal-worker.ts'

interface EvidenceDeps {
  db: Db
  log: Logger
  guard: PublicGuard
  retention: { readonly consentDays: number }
  premises: ConsentPremises
}

/** What anyone may see of the evidence, and what seals and erases records for as long as the app runs. */
export function registerEvidence(
  app: FastifyInstance,
  { db, log, guard, retention, premises }: EvidenceDeps,
): void {
  registerSeals(app, { db, guard })
  registerReceipt(app, { db, guard })
  sweepRegularly(app, 'old records of consent', (signal) => eraseRecords(db, retention, signal))
  sweepRegularly(app, 'recipients that no record names', (signal) => premises.sweepParties(signal))
  const worker = new SealWorker({ db, log, before: () => premises.storeOwed() })
  app.addHook('onListen', async () => worker.start())
  app.addHook('onClose', () => worker.stop())
}
