import type { OptionalCategory } from './consent.ts'
import type { ConversionLabels } from './conversion.ts'
import type { PixelDelivery } from './pixel-delivery.ts'
import type { PixelRunsIn } from './pixel-runs-in.ts'

export const PIXEL_TYPES = ['meta', 'google_analytics', 'google_tag_manager', 'custom'] as const
export type PixelType = (typeof PIXEL_TYPES)[number]

export const PIXEL_TYPE_LABELS: Record<PixelType, string> = {
  meta: 'Meta',
  google_analytics: 'Google Analytics',
  google_tag_manager: 'Google Tag Manager',
  custom: 'Personalizado',
}

export const PIXEL_NAME_MAX_LENGTH = 200
/** Code larger than this is refused; it is measured in UTF-8 bytes. */
export const PIXEL_CODE_MAX_BYTES = 100_000
/** Narrow on purpose: an ID is pasted into generated code, so nothing that could leave a string may pass. */
export const PIXEL_ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/

/** Which consent a tag of this type needs unless the administrator chose another. */
export const DEFAULT_CATEGORY: Record<PixelType, OptionalCategory> = {
  meta: 'marketing',
  google_analytics: 'desempenho',
  google_tag_manager: 'marketing',
  custom: 'marketing',
}

/** A row of `tracking_pixels` as it travels on the wire. */
export interface Pixel {
  id: string
  name: string
  type: PixelType
  /** null for custom pixels. */
  pixel_id: string | null
  code: string
  is_active: boolean
  /** Hosts that an administrator allowed for this tag beyond those of its type and code. */
  allowed_hosts: string[]
  consent_category: OptionalCategory
  /** Of the catalogue, as its type or code says; nobody writes it. */
  vendor: string | null
  conversion_labels: ConversionLabels
  delivery: PixelDelivery
  /** Whether the server has what it signs in to the vendor with; `access_token` itself is written and never read. */
  has_access_token: boolean
  access_token_stored_at: string | null
  /** Where conversions of a custom pixel are posted. */
  webhook_url: string | null
  /** Meta only: subscriptions are told with the hash of their e-mail, where the visitor accepted marketing. */
  send_hashed_email: boolean
  /** True when it may be paused by itself where visits show that it fails. */
  auto_disable: boolean
  /** `isolated` for custom pixels only. */
  runs_in: PixelRunsIn
  /** Why it is on the site, in the words of whoever answers for it. */
  reason: string | null
  created_at: string
  updated_at: string
}
