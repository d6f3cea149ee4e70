import type { PixelDelivery } from '#contract/pixel.ts'
import type { PreparedTag } from '../prepare-tag.ts'
import type { TagStore } from '../tag-store.ts'

/**
 * The tag of a pixel as the page with this set has it. Of one that the server alone tells of, nothing is in the set but
 * its category: it is enough that the page has a set at all, and asks. Null when there is nothing to test.
 */
export function findTested(
  tags: TagStore,
  set: string | null,
  { pixelId, delivery }: { pixelId: string; delivery: PixelDelivery },
): PreparedTag | null {
  const served = tags.recent.find(({ version }) => version !== null && version === set)
  if (delivery !== 'server') return served?.members.find(({ tag }) => tag.id === pixelId) ?? null
  const prepared = tags.prepared.get(pixelId)
  const isAsked = prepared !== undefined && served?.categories.includes(prepared.tag.category) === true
  return isAsked && prepared.isTold ? prepared : null
}
