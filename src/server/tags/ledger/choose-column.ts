import type { TagResult } from '#contract/tag-report.ts'

/** What became of one visit that ran a tag; `ran` is told as `reached`. */
export type LedgerColumn = 'ran' | 'blocked' | 'failed'

/** What else the report of the visit says of this tag. */
interface SeenBeside {
  /** Our policy stopped something that is known to be this tag's. */
  isHindered: boolean
  /** A container: that its script came proves nothing of what it then loads. */
  isLoader?: boolean
  /** The visit can tell that a page view which was not seen was not sent. */
  absenceTells: boolean
}

/**
 * A visit counts once, by its worst news, in this order: our policy stopped a script of the tag; the visitor's browser or
 * network stopped one, or its page view; its code threw. A tag that took all of its steps has reached its vendor unless
 * its page view was kept back by our policy or is known not to have been sent.
 */
export function chooseColumn({ outcome, hit }: TagResult, seen: SeenBeside): LedgerColumn {
  if (outcome === 'stopped') return 'failed'
  if (outcome === 'blocked' || hit === 'failed') return 'blocked'
  if (outcome === 'failed') return 'failed'
  if (seen.isHindered && seen.isLoader === true) return 'failed'
  if (hit === 'answered' || hit === 'sent') return 'ran'
  if (seen.isHindered) return 'failed'
  return hit === 'none' && seen.absenceTells ? 'failed' : 'ran'
}
