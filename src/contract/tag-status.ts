import type { ConsentCategory, OptionalCategory } from './consent.ts'
import type { Conversion, ConversionLabels } from './conversions.ts'
import type { PixelType, RunsInProposal } from './pixel.ts'

/** How far back the figures of a tag's cost look. */
export const TAG_COST_DAYS = 3

/** Something in a snippet that will not work as its author expects; `message` is Portuguese and names the fix. */
export interface TagWarning {
  code: string
  message: string
}

/**
 * What a snippet is: code that runs, plain images, only the noscript part, a link, items for the page's HTML
 * (verification metas, structured data), or nothing of these.
 */
export const TAG_KINDS = ['script', 'image', 'noscript', 'link', 'head', 'nothing'] as const

export type TagKind = (typeof TAG_KINDS)[number]

/** Error code for a snippet that cannot be compiled; its message is Portuguese. */
export const TAG_REFUSED = 'tag_refused'

/** Error code for a change that would make the page's headers too large. */
export const POLICY_FULL = 'policy_full'

/** `POST /admin/api/tags/preview`: what the code of a form would become. */
export interface TagPreviewRequest {
  /** The pixel being edited, so that it is not its own duplicate. */
  id?: string
  type: string
  pixel_id: string | null
  code: string
  consent_category?: ConsentCategory
  conversion_labels?: ConversionLabels
}

export interface TagPreview {
  warnings: TagWarning[]
  /** Hosts in the code, beyond those of its vendors. */
  hosts: string[]
  /** Number of scripts and images that would run. */
  steps: number
  kind: TagKind
  recognised: RecognisedTag | null
  /** Hosts that the policy would open for it. */
  allowed: PixelHost[]
  /** Sentences: what is sent automatically, and when. */
  sends: string[]
  /** Labels that the form asks for, so that conversions can be sent. */
  labels: ConversionLabelField[]
  /** For a container: the events that its triggers can use. */
  triggers: ConversionTrigger[]
  /** Without a recognised vendor: a sentence about the code. */
  about: string | null
  /** Where it should run; null without a choice. */
  runs_in: RunsInProposal | null
}

/** The vendor of a paste. It fills in empty fields and never replaces what was typed. */
export interface RecognisedTag {
  vendor: string
  name: string
  /** The account in the code. */
  id: string | null
  id_label: string | null
  type: PixelType
  category: OptionalCategory | null
  /** Set if only an ID was pasted: the snippet for it. */
  code: string | null
  /** A sentence to show. */
  advice: string | null
}

export interface ConversionLabelField {
  conversion: Conversion
  label: string
  placeholder: string
  /** A label found in the code, suggested for the field. */
  found: string | null
}

/** The event by which a container gets a conversion. */
export interface ConversionTrigger {
  conversion: Conversion
  event: string
}

/** A use of a host, named as in the policy. */
export type HostDirective = 'script' | 'connect' | 'img' | 'frame' | 'style' | 'font' | 'form' | 'media'

/** One entry of a pixel in the page's policy. */
export interface PixelHost {
  /** May begin with `*.` or `wss://`. */
  host: string
  directive: HostDirective
  source: 'vendor' | 'code' | 'permitted'
  /** For a permitted one: who and when, unless it was written through the data API. */
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

/** The state of one pixel, from visits of the last 24 hours and its code. */
export interface TagStatus {
  pixel_id: string
  /** False if nothing in the code can run. */
  runnable: boolean
  warnings: TagWarning[]
  ran: number
  blocked: number
  failed: number
  /** Over all time. */
  last_ran_at: string | null
  /** The last failure, if it is newer than the last run. */
  last_error: string | null
}

/** The same with its health. */
export interface PixelStatus extends TagStatus, PixelHealth {
  vendor: { id: string; name: string } | null
  /**
   * Hosts in the policy; empty for an inactive pixel, and with thousands of pixels: `GET /admin/api/tags/ID/hosts` has
   * them for each.
   */
  hosts: PixelHost[]
}

/** The vendor of a host; `id` is null for a name outside of the catalogue. */
export interface HostVendor {
  id: string | null
  name: string
}

export interface BlockedHost {
  id: string
  /** Null if the tag is unknown. */
  pixel_id: string | null
  host: string
  count: number
  last_seen_at: string
  vendor: HostVendor | null
  /**
   * `set`: a host of the catalogue, permitted with the others of its vendor by one click. `single`: by its full name.
   * `shared`: the same with a warning, because anybody can store files there.
   */
  permit: 'set' | 'single' | 'shared'
  /** The pixels that it belongs to; empty if unknown. */
  pixel_ids: string[]
  /** Stopped for the pixel's current code: blocks of other code do not affect its health. */
  is_current: boolean
}

/** One group: what the pixels of one vendor were kept from. */
export interface BlockedGroup {
  /** Null if no vendor is known; then it is one host. */
  vendor: HostVendor | null
  pixel_ids: string[]
  hosts: string[]
  ids: string[]
  /** What one click permits; empty if each must be permitted by name. */
  permit_ids: string[]
  message: string
}

/** Size of the page's headers with every active tag, and its largest contributors. */
export interface PolicySize {
  bytes: number
  /** From here on a proxy with small buffers may refuse the page. */
  warn_from: number
  /** What would exceed this is neither saved nor served. */
  limit: number
  /** The tags with most hosts, largest first. */
  largest: { pixel_id: string; name: string; hosts: number }[]
}

/** `GET /admin/api/tags`. */
export interface TagOverview {
  paused: { at: string; by: string } | null
  /** True while an active container makes the page trust whatever it loads. */
  trusts_container: boolean
  /** Pixels that are active or ever ran. */
  pixels: PixelStatus[]
  policy: PolicySize
  blocked_hosts: BlockedHost[]
  blocked_groups: BlockedGroup[]
}

/** Error code for permitting several hosts at once that need individual decisions. */
export const PERMIT_SINGLY = 'permit_singly'

/** Health of an active pixel, from observations; the switch (Ativo, Inativo) is beside it. */
type TagHealth = 'working' | 'partial' | 'broken' | 'waiting' | 'paused' | 'off'

export const HEALTH_LABELS: Record<TagHealth, string> = {
  working: 'Funcionando',
  partial: 'Com falhas',
  broken: 'Não funciona',
  waiting: 'Aguardando visita',
  paused: 'Pausado',
  off: 'Fora do site',
}

/** The dashboard's label: unconfirmed health is not shown as working. */
export function healthLabel({ health, confirmed }: Pick<PixelHealth, 'health' | 'confirmed'>): string {
  return health === 'working' && !confirmed ? 'Rodou, sem confirmação' : HEALTH_LABELS[health]
}

/** Why a pixel has its health; `message` is a whole Portuguese sentence. */
export interface HealthReason {
  code: string
  host?: string
  message: string
  action?: HealthAction
}

/** The button that fixes it. */
export type HealthAction =
  /** `POST /admin/api/blocked-hosts/allow` with these ids. */
  | { kind: 'permit'; ids: string[]; label: string }
  /** `POST /admin/api/pixels/ID/rearm`: ends a pause or warning of the breaker. */
  | { kind: 'rearm'; label: string }
  /** Opens the form. */
  | { kind: 'edit'; label: string }

export interface PixelHealth {
  health: TagHealth
  /** True if the vendor answered, or a capable browser saw the request sent. */
  confirmed: boolean
  /** Most important first. */
  reasons: HealthReason[]
}
