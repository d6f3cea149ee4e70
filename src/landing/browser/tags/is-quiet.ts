import type { Sighting } from './see-hit.ts'

/** So long a vendor needs from its last script to its page view. */
export const SETTLE_MS = 4_000
/** A request is in the timeline when it ends, so that a slow browser needs several times as long as its others took. */
const PATIENCE = 4

/** False while more of the same vendor may be on its way, and where nothing of it came at all. */
export function isQuiet(seen: readonly Pick<Sighting, 'duration' | 'end'>[], now: number): boolean {
  const wait = Math.max(SETTLE_MS, ...seen.map(({ duration }) => PATIENCE * duration))
  return seen.length > 0 && seen.every(({ end }) => now - end >= wait)
}
