import type { ConsentCategory, OptionalCategory } from './consent.ts'
import type { Conversion, ConversionLabels } from './conversions.ts'
import type { PixelType, RunsInProposal } from './pixel.ts'

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
  conversion_labels?: ConversionLabels
}

export interface TagPreview {
  warnings: TagWarning[]
  /** Hosts that the code names, beyond those of its vendors. */
  hosts: string[]
  /** How many scripts and images would run. */
  steps: number
  kind: TagKind
  recognised: RecognisedTag | null
  /** What the policy would open for it. */
  allowed: PixelHost[]
  /** Sentences: what goes out by itself, and when. */
  sends: string[]
  /** What the form asks for, so that conversions can be told. */
  labels: ConversionLabelField[]
  /** Of a container: the events that its triggers listen for. */
  triggers: ConversionTrigger[]
  /** Where no vendor was recognised: what is known of the code, in a sentence. */
  about: string | null
  /** Where it had better run; null where there is no choice. */
  runs_in: RunsInProposal | null
}

/** Whose a paste is. What it says fills in what is empty, and never replaces what somebody typed. */
export interface RecognisedTag {
  vendor: string
  name: string
  /** The account in the code. */
  id: string | null
  id_label: string | null
  type: PixelType
  category: OptionalCategory | null
  /** Set when only an ID was pasted: the snippet for it. */
  code: string | null
  /** A sentence to show. */
  advice: string | null
}

export interface ConversionLabelField {
  conversion: Conversion
  label: string
  placeholder: string
  /** A label that stands in the code, offered for the field. */
  found: string | null
}

/** The event by which a container hears of a conversion. */
export interface ConversionTrigger {
  conversion: Conversion
  event: string
}

/** What a host is used for, as the policy tells it. */
export type HostDirective = 'script' | 'connect' | 'img' | 'frame' | 'style' | 'font' | 'form' | 'media'

/** One entry that a pixel has in the page's policy. */
export interface PixelHost {
  /** May begin with `*.` or `wss://`. */
  host: string
  directive: HostDirective
  source: 'vendor' | 'code' | 'permitted'
  /** Of a permitted one: who and when, unless it was written through the data service. */
  by?: string
  at?: string
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

/** The same with what it all means. */
export interface PixelStatus extends TagStatus, PixelHealth {
  vendor: { id: string; name: string } | null
  /**
   * What the policy opens for it; none of a pixel that is switched off, and none where there are thousands of pixels:
   * `GET /admin/api/tags/ID/hosts` has them for each.
   */
  hosts: PixelHost[]
}

/** Whose host it is; `id` is null for a name that is only known, and not in the catalogue. */
export interface HostVendor {
  id: string | null
  name: string
}

export interface BlockedHost {
  id: string
  /** null when it cannot be told which tag it was. */
  pixel_id: string | null
  host: string
  count: number
  last_seen_at: string
  vendor: HostVendor | null
  /**
   * `set`: a host of the catalogue, which one click permits together with the others of its vendor. `single`: by its full
   * name. `shared`: the same, and with a warning, because anybody's files are there.
   */
  permit: 'set' | 'single' | 'shared'
  /** The pixels that it belongs to; none when nobody knows. */
  pixel_ids: string[]
  /** Stopped of the code that the pixel has now: what was stopped of other code says nothing about its health. */
  is_current: boolean
}

/** One line: what the pixels of one vendor were kept from. */
export interface BlockedGroup {
  /** null when no name is known; then it is one host. */
  vendor: HostVendor | null
  pixel_ids: string[]
  hosts: string[]
  ids: string[]
  /** What one click permits; empty when each must be permitted by its name. */
  permit_ids: string[]
  message: string
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
  pixels: PixelStatus[]
  policy: PolicySize
  blocked_hosts: BlockedHost[]
  blocked_groups: BlockedGroup[]
}

/** Code of the error when several hosts are to be permitted at once that only a look at each may permit. */
export const PERMIT_SINGLY = 'permit_singly'

/** How an active pixel is doing, from evidence; the switch (Ativo, Inativo) stands beside it. */
type TagHealth = 'working' | 'partial' | 'broken' | 'waiting' | 'paused' | 'off'

export const HEALTH_LABELS: Record<TagHealth, string> = {
  working: 'Funcionando',
  partial: 'Com falhas',
  broken: 'Não funciona',
  waiting: 'Aguardando visita',
  paused: 'Pausado',
  off: 'Desligado',
}

/** As the dashboard writes it: what nobody confirmed is not said to work. */
export function healthLabel({ health, confirmed }: Pick<PixelHealth, 'health' | 'confirmed'>): string {
  return health === 'working' && !confirmed ? 'Rodou, sem confirmação' : HEALTH_LABELS[health]
}

/** Why a pixel is as it is; `message` is a whole Portuguese sentence. */
export interface HealthReason {
  code: string
  host?: string
  message: string
  action?: HealthAction
}

/** The button that mends it. */
export type HealthAction =
  /** `POST /admin/api/blocked-hosts/allow` with these ids. */
  | { kind: 'permit'; ids: string[]; label: string }
  /** `POST /admin/api/pixels/ID/rearm`: what the breaker did or said is taken back. */
  | { kind: 'rearm'; label: string }
  /** Opens the form. */
  | { kind: 'edit'; label: string }

export interface PixelHealth {
  health: TagHealth
  /** True when the vendor answered, or a browser that can tell saw it leave. */
  confirmed: boolean
  /** The most important first. */
  reasons: HealthReason[]
}
