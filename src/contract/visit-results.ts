import type { Conversion } from './conversions.ts'
import type { SiteCost } from './tag-cost.ts'

export const LEDGER_STEPS = ['hour', 'day'] as const

export type LedgerStep = (typeof LEDGER_STEPS)[number]

/** The longest range that is told by each step. */
export const LEDGER_MAX_DAYS: Record<LedgerStep, number> = { hour: 14, day: 400 }

/**
 * What became of the visits in which a pixel was offered: `offered` is always the sum of the other four. A visit is in
 * exactly one of them (docs/evidence.md).
 */
export interface LedgerRow {
  /** Start of the hour or of the site's day, ISO 8601 in UTC. */
  from: string
  /** With `not_consented` absent for times in which refusals were not counted yet: what is not known is no zero. */
  offered?: number
  not_consented?: number
  blocked: number
  failed: number
  reached: number
  /**
   * What became of the server's copies: `events` is always the sum of the other six. Absent where the server told the
   * vendor nothing in that time and is not set to.
   */
  events?: number
  accepted?: number
  unconfirmed?: number
  refused?: number
  waiting?: number
  expired?: number
  withheld?: number
}

/** `GET /admin/api/pixels/ID/ledger?from&to&step`: hours and days without a visit are there, those to come are not. */
export interface PixelLedger {
  step: LedgerStep
  from: string
  /** Not included. */
  to: string
  rows: LedgerRow[]
}

/** `GET /admin/api/pixels/ID/conversions`: how often a page told the vendor of each in the last 24 hours. */
export interface ConversionCount {
  conversion: Conversion
  count: number
}

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
