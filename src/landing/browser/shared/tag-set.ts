import type { ConsentCategory } from '#contract/consent.ts'
import { fromLetters } from '#contract/consent-choice.ts'

/** The tags of this page, as its root element names them. */
export interface TagSet {
  /** Optional categories that have a tag. */
  inUse: ConsentCategory[]
  /** Names the manifest; empty when there is no tag. */
  version: string
}

export function readTagSet(): TagSet {
  const { tags: version = '', tagKinds = '' } = document.documentElement.dataset
  return { inUse: fromLetters(tagKinds), version }
}
