import type { Conversion, DeliveryState } from '#contract/conversions.ts'
import { nextSiteDay, startOfSiteDay } from '#contract/site.ts'
import { TAG_COST_DAYS } from '#contract/tag-cost.ts'
import type { Resolution } from '../db/schema/stats.ts'
import type { Storable } from '../http/limits/limits.ts'

/** As many days as the operator keeps reports. */
type KeptDays = number | 'report'

interface SeriesRule {
  /** Every resolution that the series is written in, and how many days of each are kept. */
  kept: Partial<Record<Resolution, KeptDays>>
  /** While nothing can be written, this many counts wait in memory, and no more. */
  maxPending: number
}

/** Everything that is counted. A new series is a row here, and its keys below. */
export const SERIES = {
  'tag.result': { kept: { hour: 90, day: 'report' }, maxPending: 20_000 },
  /** Health looks at one day. */
  'tag.seen': { kept: { hour: 3 }, maxPending: 20_000 },
  'tag.cost': { kept: { hour: TAG_COST_DAYS }, maxPending: 20_000 },
  /** The breaker looks back an hour at most. */
  'tag.breaker': { kept: { minute: 1 }, maxPending: 20_000 },
  conversion: { kept: { hour: 90, day: 'report' }, maxPending: 0 },
  site: { kept: { ten_minutes: 15, day: 'report' }, maxPending: 10_000 },
  'site.cost': { kept: { ten_minutes: TAG_COST_DAYS }, maxPending: 1_000 },
} as const satisfies Record<string, SeriesRule>

export type SeriesName = keyof typeof SERIES

export const SERIES_NAMES = Object.keys(SERIES) as SeriesName[]

export function resolutionsOf(series: SeriesName): [Resolution, KeptDays][] {
  return Object.entries(SERIES[series].kept) as [Resolution, KeptDays][]
}

/** What one visit chose: everything, nothing, or something between. */
export const CHOICES = ['accepted', 'partial', 'refused'] as const

export type Choice = (typeof CHOICES)[number]

/** Followed by what an hourly ceiling kept from being stored. */
export const CEILING_KEY = 'ceiling:'

/** What is counted in each series. */
export interface SeriesKeys {
  /** What became of the visits that were offered a tag. `refusals_unknown` are hours of before refusals were counted. */
  'tag.result': 'ran' | 'blocked' | 'failed' | 'not_consented' | 'refusals_unknown'
  'tag.seen': `${Revision} ${Observed} ${string}`
  /** All of a visit's main thread or requests that one tag took, as a step of its histogram. */
  'tag.cost': `${Revision} ${'cost_ms' | 'cost_requests'} ${number}`
  /** Visits, those of them that failed; visits that measured, those of them that were slow. */
  'tag.breaker': `${Revision} ${'visits' | 'failed' | 'measured' | 'slow'}`
  /** With why it was refused, as a code; empty otherwise. */
  conversion: `${Exclude<DeliveryState, 'waiting'>} ${string}`
  /** `told` are visits that ran a tag which reports conversions. */
  site: `choice:${Choice}` | `conversion:${Conversion}` | 'told' | `${typeof CEILING_KEY}${Storable}`
  /** All tags of a visit together, and what is not one tag's for certain, as steps of a histogram. */
  'site.cost': `cost:${'sum' | 'rest'}:${number}`
}

/** Hash of what the browser ran and what the policy gave it: counts of another one are of another tag. */
type Revision = string

/** `host:` is followed by a source of the tag's policy. */
type Observed = 'visit' | 'hit' | `host:${string}` | `conversion:${Conversion}`

const LENGTH_MS = { minute: 60_000, ten_minutes: 600_000, hour: 3_600_000 }

export const TEN_MINUTES_MS = LENGTH_MS.ten_minutes

/** When the minute, hour or day that a moment lies in begins. */
export function startOf(resolution: Resolution, time: number): number {
  if (resolution === 'day') return dayOf(time)
  return Math.floor(time / LENGTH_MS[resolution]) * LENGTH_MS[resolution]
}

/** Where the site's days begin is looked up in a calendar: too slow for each of a visit's 200 tags. */
let day = { start: 0, end: 0 }

function dayOf(time: number): number {
  if (time < day.start || time >= day.end) {
    const start = startOfSiteDay(time)
    day = { start, end: nextSiteDay(start) }
  }
  return day.start
}
