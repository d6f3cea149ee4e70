// The page's script reads this file: a value that the dashboard needs too would tie both bundles together.
/** Larger values are reported as this. */
export const TAG_COST_MAX = 60_000

/**
 * From measured visits: a tenth of those with browsers that report long animation frames. In a quarter of them it was
 * `ms` or more; unattributed time is missing, so it is a minimum.
 */
export interface TagCost {
  visits: number
  ms: number
  /** In a quarter of the visits this many or more. */
  requests: number
}

/** All tags of a visit together. */
export interface SiteCost {
  visits: number
  ms: number
  /** What cannot be attributed to one tag: part of it may be the page's own. */
  unattributed_ms: number
}

/** `GET /admin/api/pixels/ID/cost`: null without a measured visit, which is not zero. */
export interface PixelCost {
  /** Of the current revision. */
  own: TagCost | null
  all: SiteCost | null
}
