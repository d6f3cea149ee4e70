import type { Conversion } from './conversions.ts'
import type { SiteCost } from './tag-cost.ts'

export const VISIT_RESULT_STEPS = ['hour', 'day'] as const

export type VisitResultStep = (typeof VISIT_RESULT_STEPS)[number]

/** Maximum range of each step. */
export const VISIT_RESULT_MAX_DAYS: Record<VisitResultStep, number> = { hour: 14, day: 400 }

/**
 * Results of visits that were offered a pixel: `offered` is the sum of the other four. A visit is in exactly one of
 * them (docs/explain/health.md).
 */
export interface VisitResultRow {
  /** Start of the hour or of the site's day, ISO 8601 in UTC. */
  from: string
  /** Absent with `not_consented` for times before refusals were counted: unknown is not zero. */
  offered?: number
  not_consented?: number
  blocked: number
  failed: number
  reached: number
  /**
   * Results of events sent by the server: `events` is the sum of the other six. Absent if the server sent nothing in
   * that time and is not set to.
   */
  events?: number
  accepted?: number
  unconfirmed?: number
  refused?: number
  waiting?: number
  expired?: number
  withheld?: number
}

/** `GET /admin/api/pixels/ID/ledger?from&to&step`: includes hours and days without a visit, and none in the future. */
export interface VisitResults {
  step: VisitResultStep
  from: string
  /** Not included. */
  to: string
  rows: VisitResultRow[]
}

/** `GET /admin/api/pixels/ID/conversions`: how often a page sent each to the vendor in the last 24 hours. */
export interface ConversionCount {
  conversion: Conversion
  count: number
}

/**
 * One figure of the site's day. What could not be counted is absent or null, never zero: days before counting began,
 * and visits and clicks where they are not counted.
 */
export interface TodayFigure {
  today?: number
  /** Up to the time of `compared_until`. */
  yesterday?: number
  /** Whole days, oldest first; the last is today so far. */
  days: (number | null)[]
  /** The same days up to the time of `compared_until`. */
  days_until: (number | null)[]
}

export const TODAY_FIGURES = [
  'visits',
  'visitors',
  'choices',
  'accepted',
  'refused',
  'lead',
  'contact',
  'subscriptions',
] as const

type TodayFigureName = (typeof TODAY_FIGURES)[number]

/** `GET /admin/api/today`: days of the site. Clicks are everybody's, two of one visitor are two. */
export interface Today extends Record<TodayFigureName, TodayFigure> {
  /** When this was counted. */
  until: string
  /**
   * The last ten minutes that have ended: days are compared up to this time. Null in the first ten minutes of a day.
   */
  compared_until: string | null
  /** Dates of the seven days, oldest first. */
  dates: string[]
  /** Set while it is within the seven days: earlier choices are unknown. */
  counted_since: string | null
  /** False with `VISIT_COUNTS=off`. */
  counts_visits: boolean
  /** Costs of the tags per visit; absent without a measured visit in the last days. */
  cost?: SiteCost
}
