import type { ConsentCategory } from './consent.ts'

/** Something in a snippet that will not do what its author expects; `message` is Portuguese and names the cure. */
export interface TagWarning {
  code: string
  message: string
}

/**
 * What a pasted snippet is: code that runs, bare pictures, only the part for browsers without scripts, a link, what
 * stands in the page's HTML (verification metas, structured data), or nothing of these.
 */
export const TAG_KINDS = ['script', 'image', 'noscript', 'link', 'head', 'nothing'] as const
export type TagKind = (typeof TAG_KINDS)[number]

/** Code of the error with which a snippet that cannot be compiled is refused; its message is Portuguese. */
export const TAG_REFUSED = 'tag_refused'
/** Code of the error with which a change is refused that would make the head of the page too large. */
export const POLICY_FULL = 'policy_full'

/** `POST /admin/api/tags/preview`: what the code of a form would become. */
export interface TagPreviewRequest {
  /** The pixel being edited, so that it is not counted as its own double. */
  id?: string
  type: string
  pixel_id: string | null
  code: string
  consent_category?: ConsentCategory
}

export interface TagPreview {
  warnings: TagWarning[]
  /** Hosts that the code names, beyond those of its type. */
  hosts: string[]
  /** How many scripts and images would run. */
  steps: number
}

/** Counts of one hour. */
export interface TagHour {
  /** Start of the hour, ISO 8601 in UTC. */
  hour: string
  ran: number
  blocked: number
  failed: number
}

/** How one pixel is doing, from the visits of the last 24 hours and from its code. */
export interface TagStatus {
  pixel_id: string
  /** False when nothing in the code can run. */
  runnable: boolean
  warnings: TagWarning[]
  ran: number
  blocked: number
  failed: number
  /** Of all time. */
  last_ran_at: string | null
  /** The last failure, when it is newer than the last run. */
  last_error: string | null
}

export interface BlockedHost {
  id: string
  /** null when it cannot be told which tag it was. */
  pixel_id: string | null
  host: string
  count: number
  last_seen_at: string
}

/** How large the head of the page is with every active tag, and who makes it so. */
export interface PolicySize {
  bytes: number
  /** From here on a proxy with small buffers may refuse the page. */
  warn_from: number
  /** What would exceed this is not saved, and not served. */
  limit: number
  /** The tags that name most hosts, the largest first. */
  largest: { pixel_id: string; name: string; hosts: number }[]
}

/** `GET /admin/api/tags`. */
export interface TagOverview {
  paused: { at: string; by: string } | null
  /** True while an active container makes the page trust whatever it loads. */
  trusts_container: boolean
  /** Those that are active or ever ran; of the others there is nothing to say. */
  pixels: TagStatus[]
  policy: PolicySize
  blocked_hosts: BlockedHost[]
}
