import type { Selectable } from 'kysely'
import type { EvidenceSeal } from '#contract/consent.ts'
import type { ConsentSeals } from '../db/evidence-schema.ts'
import { canonicalHash } from './canonical.ts'

/** Of everything that a seal says, the hash of the one before included: that is the chain. */
export function sealHash(seal: Omit<EvidenceSeal, 'hash'> & { hash?: string }): string {
  const { hash: _, ...said } = seal
  return canonicalHash(said)
}

export function toSeal(row: Selectable<ConsentSeals>): EvidenceSeal {
  return { '@type': 'ConsentSeal', ...row }
}
