import type { Timestamp } from './index.ts'

/** How long a time one row counts. A day is the site's. */
export type Resolution = 'minute' | 'ten_minutes' | 'hour' | 'day'

/** Everything that is counted; nothing about a visitor. */
interface Counts {
  /** A pixel's id, with which the row goes; empty for the whole site. */
  subject: string
  /** A name of `stats/series.ts`. */
  series: string
  resolution: Resolution
  /** When the time that it counts begins. */
  at: Timestamp
  /** What is counted, within the series. */
  key: string
  /** One per process, so that no two of them wait for the same row; -1 for what was copied from the tables of before. */
  shard: number
  /** Below zero where another process counted what this one has taken back. */
  count: number
}

/** When a tag last ran and last failed, as each process knows. */
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
