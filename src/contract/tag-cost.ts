/** More milliseconds, or requests, than this in one visit are told as this. */
export const TAG_COST_MAX = 60_000

/** How far back the figures look. */
export const TAG_COST_DAYS = 3

/**
 * Of the visits that were measured: a tenth of those with a browser that tells long animation frames. In a quarter of
 * them it was `ms` or more; whatever the browser does not attribute is missing, so that it is never less.
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
  /** What belongs to no tag for certain: some of it may be theirs, some the page's own. */
  unattributed_ms: number
}

/** `GET /admin/api/pixels/ID/cost`: null where no visit told, which is not zero. */
export interface PixelCost {
  /** Of the tag as it is now. */
  own: TagCost | null
  all: SiteCost | null
}
