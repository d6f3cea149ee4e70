/** Separate from `server-event.ts`, whose schema the page does not need. */
export const EVENTS_PATH = '/api/events'

export const TAG_REPORT_PATH = '/api/tags/report'

export const CSP_REPORT_PATH = '/api/csp-report'

/**
 * The result of a tag on a page: all steps ran, a script did not load (a blocker or the network), its code threw an
 * error, or our policy stopped a script.
 */
export const TAG_OUTCOMES = ['ran', 'blocked', 'failed', 'stopped'] as const

export type TagOutcome = (typeof TAG_OUTCOMES)[number]

/**
 * What a page can know of a request (docs/explain/health.md): it was answered; it was sent, and nothing more is known;
 * this browser cannot tell; it was not sent, or failed.
 */
export const TAG_VERDICTS = ['answered', 'sent', 'unknown', 'failed'] as const

export type TagVerdict = (typeof TAG_VERDICTS)[number]

/** For the request with the pixel's ID; `none` if the page stayed long enough to see one. */
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
  /** Main-thread time in long animation frames; absent if not measured. */
  ms?: number | undefined
  /** Number of the tag's requests in the timeline; together with `ms`. */
  requests?: number | undefined
}

/** A request that our policy stopped. */
export interface StoppedRequest {
  /** With `https://` or `wss://`; without either, as older pages send it, it means https. */
  host: string
  /** The directive, such as `img-src`. */
  directive: string
  /** The script that tried, if the browser names it: the path of our file, or the host of another. */
  source?: string | undefined
  /** The tag whose account is in that script's address, or the only one that may load it. */
  tag?: string | undefined
}

/** One beacon per visit, and one per conversion. Nothing about the visitor. */
export interface TagReport {
  /** Version of the tag set: reports about an older one say nothing about the current tags. */
  set?: string
  results: TagResult[]
  /** Hosts that these tags may reach, with the best observation of each. */
  hosts?: Record<string, TagVerdict> | undefined
  /** True in a browser whose timeline is complete: what is missing was not sent. */
  sees_all?: boolean | undefined
  /** Each host once per use. Browsers report it too, but not always, and not in time on a busy page. */
  stopped?: StoppedRequest[]
  /** Time in long frames of a measured visit that cannot be attributed to one tag. */
  unattributed_ms?: number | undefined
  /** The tags whose vendors got a conversion. */
  conversion?: { name: string; ids: string[] }
}
