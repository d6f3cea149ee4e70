/** Apart from `server-event.ts`: the page needs nothing of its schema. */
export const EVENTS_PATH = '/api/events'

export const TAG_REPORT_PATH = '/api/tags/report'

export const CSP_REPORT_PATH = '/api/csp-report'

/**
 * What became of a tag on a page: all of its steps were taken, one of its scripts did not come (a blocker, or the
 * network), its own code threw, or our policy stopped one of its scripts.
 */
export const TAG_OUTCOMES = ['ran', 'blocked', 'failed', 'stopped'] as const

export type TagOutcome = (typeof TAG_OUTCOMES)[number]

/**
 * What a page can know of a request (docs/evidence.md): somebody answered it; it left, and nobody can say more; no
 * browser of this kind can tell; it did not leave, or failed.
 */
export const TAG_VERDICTS = ['answered', 'sent', 'unknown', 'failed'] as const

export type TagVerdict = (typeof TAG_VERDICTS)[number]

/** Of the request that carries the pixel's own ID; `none` when the page stayed long enough to see one. */
export const HIT_VERDICTS = [...TAG_VERDICTS, 'none'] as const

export type HitVerdict = (typeof HIT_VERDICTS)[number]

export const TAG_ERROR_MAX_LENGTH = 200

export const TAG_REPORT_MAX_RESULTS = 500

export const TAG_REPORT_MAX_HOSTS = 100

export const TAG_REPORT_MAX_STOPPED = 40

export interface TagResult {
  id: string
  outcome: TagOutcome
  error?: string | undefined
  hit?: HitVerdict | undefined
  /** Time of the main thread in long animation frames; absent where nobody measured. */
  ms?: number | undefined
  /** How many requests of the tag the timeline holds; together with `ms`. */
  requests?: number | undefined
}

/** What our policy kept the page from. */
export interface StoppedRequest {
  /** With `https://` or `wss://` in front; without either, as older pages send it, it means https. */
  host: string
  /** The part of the policy, such as `img-src`. */
  directive: string
  /** Whose code tried, where the browser tells it: the path of a file of ours, or the host of another's. */
  source?: string | undefined
  /** The tag whose account the address of that code names, or the only one that may load it. */
  tag?: string | undefined
}

/** One beacon per visit, and one for each conversion. Nothing about the visitor. */
export interface TagReport {
  /** Version of the tag set: what is told about an older one is no evidence about the tags of now. */
  set?: string
  results: TagResult[]
  /** Hosts that these tags may reach, and the best that was seen of each. */
  hosts?: Record<string, TagVerdict> | undefined
  /** True in a browser whose timeline misses nothing: what is not in it was not sent. */
  sees_all?: boolean | undefined
  /** Every host once for each use. Browsers report it themselves too, but not always, and a busy page not in time. */
  stopped?: StoppedRequest[]
  /** What the long frames of a measured visit held that is not one tag's for certain. */
  unattributed_ms?: number | undefined
  /** The tags whose vendors were told of a conversion; `is_more` when others of the same were told before. */
  conversion?: { name: string; ids: string[]; is_more?: boolean }
}
