import type { ConsentCount, EvidenceNotice, EvidenceSeal, SealState } from './consent-evidence.ts'

/** The longest range that is told at once, in days. */
export const CONSENT_MAX_DAYS = 400

/** `GET /admin/api/consent?from&to`: choices by day of the site, both days included, and whether their proof is in order. */
export interface ConsentOverview {
  from: string
  to: string
  counts: ConsentCount[]
  /** Every wording that was served, the newest first. */
  notices: Pick<EvidenceNotice, 'version' | 'hash' | 'first_served_at' | 'text'>[]
  seals: SealState
  /** The newest first, a few. */
  recent: Pick<EvidenceSeal, 'sequence' | 'sealed_at' | 'leaf_count'>[]
  /** How long a record is kept. */
  kept_days: number
}
