import type { TagHit } from '#contract/tag-manifest.ts'
import type { TagVerdict } from '#contract/tag-report.ts'
import { better } from './judge-request.ts'
import { matchesSource } from './matches-source.ts'

/** One request in the timeline. */
export interface Sighting {
  address: string
  host: string
  isScript: boolean
  verdict: TagVerdict
  duration: number
  /** When it ended, on the page's clock. */
  end: number
}

/** The best that was seen of a tag's page view; undefined when it is not in the timeline. */
export function seeHit(
  { hosts, id, byScript }: TagHit,
  sightings: readonly Sighting[],
): TagVerdict | undefined {
  let best: TagVerdict | undefined
  for (const { address, host, isScript, verdict } of sightings) {
    if (!hosts.some((source) => matchesSource(host, source))) continue
    if (id === null ? isScript : !address.includes(id)) continue
    // A script of the account, or an ID that only ends like it, is no page view and no proof that there was none.
    const isProof = (byScript || !isScript) && (id === null || carries(address, id))
    best = better(best, isProof ? verdict : 'unknown')
  }
  return best
}

/** The ID as a whole word. */
function carries(address: string, id: string): boolean {
  return new RegExp(`(?<![a-z\\d])${id}(?![a-z\\d])`, 'i').test(address)
}
