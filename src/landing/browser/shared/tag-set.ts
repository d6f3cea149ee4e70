import type { ConsentCategory } from '#contract/consent.ts'
import { CONSENT_TEXT_VERSION, fromLetters } from '#contract/consent-choice.ts'

/** The tags of this page, as its root element names them. */
export interface TagSet {
  /** Optional categories that have a tag. */
  inUse: ConsentCategory[]
  /** Names the manifest; empty when there is no tag. */
  version: string
  /** Of the words that the page asks with. */
  textVersion: number
  /** Deletes what tags left, once their consent is taken back. Loaded with the tags, or when it is needed. */
  deleteLeftovers(): Promise<void>
}

export function readTagSet(deleteLeftovers: TagSet['deleteLeftovers']): TagSet {
  const { tags: version = '', tagKinds = '', text = CONSENT_TEXT_VERSION } = document.documentElement.dataset
  return { inUse: fromLetters(tagKinds), version, textVersion: +text, deleteLeftovers }
}
