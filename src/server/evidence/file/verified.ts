import type { EvidenceSeal } from '#contract/consent.ts'

/** What a file proves. */
export interface Verified {
  site: string
  /** To compare with those that are public: the last of an export stands for all before it. */
  seals: EvidenceSeal[]
  sealCount: number
  records: number
  erased: number
  /** Records that no seal covers yet. */
  waiting: number
}
