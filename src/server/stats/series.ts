import type { OptionalCategory } from '#contract/consent.ts'
import type { Conversion, DeliveryState } from '#contract/conversions.ts'
import { HOUR_MS, MINUTE_MS } from '#contract/durations.ts'
import type { OutcomeDeliveryState, OutcomeMode } from '#contract/outcomes.ts'
import { nextSiteDay, siteDate, startOfSiteDate } from '#contract/site.ts'
import { TAG_COST_DAYS } from '#contract/tag-status.ts'
import type { Click } from '#contract/visit-report.ts'
import type { Resolution } from '../db/schema/stats.ts'
import type { Storable } from '../http/limits/limits.ts'

/** As many days as the operator keeps reports, or visits. */
type KeptDays = number | 'report' | 'visit'

export function daysKept(
  kept: KeptDays,
  { reportDays, visitDays }: { readonly reportDays: number; readonly visitDays: number },
): number {
  if (kept === 'report') return reportDays
  return kept === 'visit' ? visitDays : kept
}

interface SeriesRule {
  /** The resolutions of the series, and how many days of each are kept. */
  kept: Partial<Record<Resolution, KeptDays>>
  /** While nothing can be written, at most this many counts wait in memory. */
  maxPending: number
}

/** Everything that is counted. A new series is a row here, and its keys below. */
export const SERIES = {
  'tag.result': { kept: { hour: 90, day: 'report' }, maxPending: 20_000 },
  /** The subject is the version of a tag set: its pixels are in `tag_sets`. */
  'set.refusal': { kept: { hour: 90, day: 'report' }, maxPending: 1_000 },
  /** Health looks at one day. */
  'tag.seen': { kept: { hour: 3 }, maxPending: 20_000 },
  'tag.cost': { kept: { hour: TAG_COST_DAYS }, maxPending: 20_000 },
  /** The breaker looks back an hour at most. */
  'tag.breaker': { kept: { minute: 1 }, maxPending: 20_000 },
  conversion: { kept: { hour: 90, day: 'report' }, maxPending: 0 },
  /** What a vendor said later about events that it had accepted, on the day they were sent. */
  'conversion.confirmation': { kept: { day: 'report' }, maxPending: 0 },
  site: { kept: { ten_minutes: 15, day: 'report' }, maxPending: 10_000 },
  'site.cost': { kept: { ten_minutes: TAG_COST_DAYS }, maxPending: 1_000 },
  /** Everybody's visits and clicks. Written in the transaction that stores the visitors of the day. */
  visit: { kept: { ten_minutes: 15, hour: 90, day: 'visit' }, maxPending: 0 },
  /** The same by source and device: never by the hour, where few visits could describe one person. */
  'visit.source': { kept: { day: 'visit' }, maxPending: 0 },
  'visit.page': { kept: { day: 'visit' }, maxPending: 0 },
  /** The subject is the outcome's name; empty where no declared one was given. */
  outcome: { kept: { day: 'visit' }, maxPending: 1_000 },
  /** Outcomes that are tied to a visit, by where it came from. Written with the outcomes. */
  'outcome.source': { kept: { day: 'visit' }, maxPending: 0 },
  /** What became of outcomes at a pixel's destination, on the day they happened. The subject is the pixel. */
  'outcome.delivery': { kept: { day: 'visit' }, maxPending: 0 },
} as const satisfies Record<string, SeriesRule>

export type SeriesName = keyof typeof SERIES

export const SERIES_NAMES = Object.keys(SERIES) as SeriesName[]

/** Read for every count. */
const RESOLUTIONS = new Map(
  SERIES_NAMES.map((series) => [series, Object.entries(SERIES[series].kept) as [Resolution, KeptDays][]]),
)

export function resolutionsOf(series: SeriesName): readonly [Resolution, KeptDays][] {
  return RESOLUTIONS.get(series) ?? []
}

/** What a visitor does within this of the time before belongs to the same visit. Google counts its sessions alike. */
export const VISIT_GAP_MS = 30 * MINUTE_MS

/** The choice of one visit: everything, nothing, or part. */
export const CHOICES = ['accepted', 'partial', 'refused'] as const

export type Choice = (typeof CHOICES)[number]

/** Followed by what an hourly ceiling refused to store. */
export const CEILING_KEY = 'ceiling:'

/** The keys of each series. */
export interface SeriesKeys {
  /**
   * Results of visits that were offered a tag. `not_consented` was counted before there was `set.refusal`;
   * `refusals_unknown` marks hours from before refusals were counted.
   */
  'tag.result': 'ran' | 'blocked' | 'failed' | 'not_consented' | 'refusals_unknown'
  /** Visits that refused a category. */
  'set.refusal': OptionalCategory
  'tag.seen': `${Revision} ${Observed} ${string}`
  /** Main-thread time or requests of one tag in a visit, as a step of the histogram. */
  'tag.cost': `${Revision} ${'cost_ms' | 'cost_requests'} ${number}`
  /** Visits and failed visits; measured visits and slow ones. */
  'tag.breaker': `${Revision} ${'visits' | 'failed' | 'measured' | 'slow'}`
  /** With the reason of a refusal as a code; empty otherwise. */
  conversion: `${Exclude<DeliveryState, 'waiting'>} ${string}`
  /** With the reason of a refusal as a code. `unanswered`: there was no result within the vendor's time. */
  'conversion.confirmation': `${'confirmed' | 'refused' | 'unanswered'} ${string}`
  site: `choice:${Choice}` | `${typeof CEILING_KEY}${Storable}`
  /** All tags of a visit together, and what cannot be attributed to one tag, as steps of a histogram. */
  'site.cost': `cost:${'sum' | 'rest'}:${number}`
  /**
   * `gpc` are views with Global Privacy Control, which get no key. `unresolved` are views whose address is a proxy's.
   * `uncounted` are views past the limit of the memory. `estimated` marks days whose keys were lost.
   */
  visit:
    | 'views'
    | 'visits'
    | 'visitors'
    | `click:${Click}`
    | 'robots'
    | 'prefetches'
    | 'gpc'
    | 'unresolved'
    | 'uncounted'
    | 'estimated'
  /** Followed by channel, source, medium, campaign, term and device as JSON. */
  'visit.source': `${'visits' | 'visitors' | Click} ${string}`
  'visit.page': `/${string}`
  /** Tied to a visit or not, on the day it happened; sent again, and refused, on the day of the call. */
  outcome: `${OutcomeMode} ${'tied' | 'untied' | 'duplicate' | 'refused'}`
  /** Channel and campaign as JSON. */
  'outcome.source': `[${string}]`
  /** The outcome's name, the state, and the reason of a refusal as a code. */
  'outcome.delivery': `${string} ${Exclude<OutcomeDeliveryState, 'waiting'>} ${string}`
}

/** Hash of what the browser ran and the policy allowed: another revision is counted separately. */
type Revision = string

/** `host:` is followed by a source of the tag's policy. */
type Observed = 'visit' | 'hit' | `host:${string}` | `conversion:${Conversion}`

const LENGTH_MS = { minute: MINUTE_MS, ten_minutes: 10 * MINUTE_MS, hour: HOUR_MS }

export const TEN_MINUTES_MS = LENGTH_MS.ten_minutes

/** Start of the minute, hour or day of a time. */
export function startOf(resolution: Resolution, time: number): number {
  if (resolution === 'day') return siteDayOf(time).start
  return Math.floor(time / LENGTH_MS[resolution]) * LENGTH_MS[resolution]
}

/** One day at the site. */
export interface SiteDay {
  /** `2026-11-15`. */
  date: string
  start: number
  end: number
}

/** Cached, because the calendar lookup is too slow for each view, and for each of a visit's 200 tags. */
let lastDay: SiteDay = { date: '', start: 0, end: 0 }

export function siteDayOf(time: number): SiteDay {
  if (time < lastDay.start || time >= lastDay.end) {
    const date = siteDate(time)
    const start = startOfSiteDate(date)
    lastDay = { date, start, end: nextSiteDay(start) }
  }
  return lastDay
}
