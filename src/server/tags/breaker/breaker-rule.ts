import type { TagBreakers } from '#server/db/tag-schema.ts'

/** Why a tag is paused or warned of. */
export type BreakerReason = TagBreakers['reason']

/** Visits of one revision of a tag within a window, and those of them that speak against it. */
export interface WindowCounts {
  visits: number
  failed: number
}

interface Rule {
  /** So long visits are looked back at. */
  windowMs: number
  isBroken: (counts: WindowCounts) => boolean
}

const MINUTE_MS = 60_000
const MIN_VISITS = 50
/** More than this, of the main thread and in one visit, is too much. */
const COST_LIMIT_MS = 500

/** A tenth of the visits measure, so that what a tag costs is looked at over a longer time. */
export const BREAKER_RULES: Readonly<Record<BreakerReason, Rule>> = {
  failing: { windowMs: 10 * MINUTE_MS, isBroken: isFailing },
  slow: { windowMs: 60 * MINUTE_MS, isBroken: isSlow },
}

/** More than half of enough visits. */
export function isFailing({ visits, failed }: WindowCounts): boolean {
  return visits >= MIN_VISITS && failed * 2 > visits
}

/** The third quarter of enough visits is above the limit: fewer than three of four were within it. */
export function isSlow({ visits, failed }: WindowCounts): boolean {
  return visits >= MIN_VISITS && visits - failed < Math.ceil(0.75 * visits)
}

export function isTooDear(ms: number): boolean {
  return ms > COST_LIMIT_MS
}
