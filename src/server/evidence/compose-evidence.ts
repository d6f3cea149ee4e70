import type { FastifyInstance } from 'fastify'
import type { EvidencePartiesContent } from '#contract/consent.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { AdminAccess } from '../http/admin-request.ts'
import type { PublicGuard } from '../http/guard-public-post.ts'
import type { Logger } from '../http/logger.ts'
import { type ConsentAdminPorts, registerConsentAdmin } from './admin/register-consent-admin.ts'
import { ConsentPremises, type NoticeWords } from './consent-premises.ts'
import { registerEvidence } from './register-evidence.ts'

interface EvidenceParts {
  config: Config
  db: Db
  log: Logger
  /** Every wording that this build can ask with. */
  notices: readonly NoticeWords[]
}

/** The proof of what visitors chose: what choices are made on, what is public of it, and what administrators see. */
export function composeEvidence({ config, db, log, notices }: EvidenceParts) {
  const { retention, site } = config
  const premises = new ConsentPremises({ db, log, notices, retentionDays: retention.consentDays })
  return {
    premisesOf: (textVersion: number, tagSetVersion: string) =>
      premises.premisesOf(textVersion, tagSetVersion),

    /** Before a page that asks in these words, for these parties, is served. */
    keepPremises: async (textVersion: number, parties: EvidencePartiesContent): Promise<void> => {
      await premises.keepNotice(textVersion)
      await premises.keepParties(parties)
    },

    registerAdmin: (scope: FastifyInstance, access: AdminAccess, ports: ConsentAdminPorts) =>
      registerConsentAdmin(scope, { ...access, ...ports, db, site, keptDays: retention.consentDays }),

    registerPublic: (scope: FastifyInstance, guard: PublicGuard) =>
      registerEvidence(scope, { db, log, guard, retention, premises }),
  }
}
