import type { SiteCost } from './tag-cost.ts'

/**
 * One count of the site's day. What nobody could count is absent or null, and never zero: days of before counting began,
 * and clicks of a time in which no visit ran a tag that tells of them.
 */
export interface TodayFigure {
  today?: number
  /** Up to `yesterday_until`. */
  yesterday?: number
  /** Whole days, oldest first; the last is today so far. */
  days: (number | null)[]
}

export const TODAY_FIGURES = ['choices', 'accepted', 'refused', 'lead', 'contact', 'subscriptions'] as const
export type TodayFigureName = (typeof TODAY_FIGURES)[number]

/** `GET /admin/api/today`: days are the site's own. */
export interface Today extends Record<TodayFigureName, TodayFigure> {
  /** When this was counted. */
  until: string
  /** Yesterday at the same time, at the end of its ten minutes. */
  yesterday_until: string
  /** Dates of the seven days, oldest first. */
  dates: string[]
  /** Set while it is within the seven days: choices and clicks of before are not known. */
  counted_since: string | null
  /** What the tags cost a visit; absent where no visit of the last days told. */
  cost?: SiteCost
}
