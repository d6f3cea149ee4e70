import type { Timestamp } from './index.ts'

/** The length of time of one row. A day is the site's. */
export type Resolution = 'minute' | 'ten_minutes' | 'hour' | 'day'

/** All counts, without data of visitors. */
interface Counts {
  /** A pixel's id, with which the row is deleted; a tag set's version; empty for the whole site. */
  subject: string
  /** A name of `stats/series.ts`. */
  series: string
  resolution: Resolution
  /** Start of the counted time. */
  at: Timestamp
  /** What is counted, within the series. */
  key: string
  /** One per process, so that no two wait for the same row; -1 for counts copied from former tables. */
  shard: number
  /** Below zero where another process counted what this one subtracted. */
  count: number
}

/** When a tag last ran and last failed, per process. */
interface TagLastSeen {
  pixel_id: string
  shard: number
  last_ran_at: Timestamp | null
  last_error_at: Timestamp | null
  last_error: string | null
}

export interface StatsTables {
  counts: Counts
  tag_last_seen: TagLastSeen
}
