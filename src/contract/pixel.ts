import type { OptionalCategory } from './consent.ts'
import type { PixelRow } from './pixel-columns.ts'

/**
 * Who sends to the vendor: the visitor's browser, our server, or both. With `server` no vendor script is loaded; with
 * `both` an event has the same `event_id` twice.
 */
export const PIXEL_DELIVERIES = ['browser', 'server', 'both'] as const

export type PixelDelivery = (typeof PIXEL_DELIVERIES)[number]

export const DELIVERY_LABELS: Record<PixelDelivery, string> = {
  browser: 'Pela página',
  server: 'Pelo servidor',
  both: 'Pela página e pelo servidor',
}

/** GA4 counts duplicates, so it has no `both`; a container runs in browsers only. */
export const DELIVERY_CHOICES: Record<PixelType, readonly PixelDelivery[]> = {
  meta: ['browser', 'server', 'both'],
  google_analytics: ['browser', 'server'],
  google_tag_manager: ['browser'],
  custom: ['browser', 'server'],
}

/** The vendor's name for `access_token`; a type without a name has none. */
export const ACCESS_TOKEN_LABELS: Partial<Record<PixelType, string>> = {
  meta: 'Token de acesso',
  google_analytics: 'Chave secreta da API (API secret)',
  custom: 'Segredo de assinatura',
}

/** Characters that need no escaping in a header or address: text pasted with a space or quote is no token. */
const VENDOR_TOKEN_PATTERN = /^[A-Za-z0-9_.|~+/=-]{8,1000}$/

/** Standard Webhooks: 24 to 64 bytes in base64 behind `whsec_`. */
const WEBHOOK_SECRET_PATTERN = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/

export function isAccessToken(type: PixelType, token: string): boolean {
  if (type === 'custom') return WEBHOOK_SECRET_PATTERN.test(token)
  return type !== 'google_tag_manager' && VENDOR_TOKEN_PATTERN.test(token)
}

/** Only measurement and pixel IDs accept events: `AW-…` and `GT-…` do not. */
export const SERVER_ID_PATTERNS: Partial<Record<PixelType, RegExp>> = {
  meta: /^\d{5,20}$/,
  google_analytics: /^G-[A-Z0-9]{4,20}$/i,
}

export const WEBHOOK_URL_MAX_LENGTH = 500

/**
 * Where the code of a custom pixel runs: in the page, or in an isolated frame that only gets conversions. Other types
 * always run in the page.
 */
export const PIXEL_RUNS_IN = ['page', 'isolated'] as const

export type PixelRunsIn = (typeof PIXEL_RUNS_IN)[number]

export const RUNS_IN_LABELS: Record<PixelRunsIn, string> = {
  page: 'Na página',
  isolated: 'Isolada da página',
}

export function mayBeIsolated(type: PixelType): boolean {
  return type === 'custom'
}

/** The form's suggestion for a code, and the reason. */
export interface RunsInProposal {
  runs_in: PixelRunsIn
  reason: string
}

export const PIXEL_TYPES = ['meta', 'google_analytics', 'google_tag_manager', 'custom'] as const

export type PixelType = (typeof PIXEL_TYPES)[number]

export const PIXEL_TYPE_LABELS: Record<PixelType, string> = {
  meta: 'Meta',
  google_analytics: 'Google Analytics',
  google_tag_manager: 'Google Tag Manager',
  custom: 'Personalizado',
}

export const PIXEL_NAME_MAX_LENGTH = 200

/** Larger code is refused: see `isWithinCodeLimit`. */
export const PIXEL_CODE_MAX_BYTES = 100_000

/** Narrow on purpose: an ID is inserted into generated code, so nothing that could end a string may pass. */
export const PIXEL_ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/

/** The default consent category of a type. */
export const DEFAULT_CATEGORY: Record<PixelType, OptionalCategory> = {
  meta: 'marketing',
  google_analytics: 'desempenho',
  google_tag_manager: 'marketing',
  custom: 'marketing',
}

/** A row of `tracking_pixels` in the API. */
export type Pixel = PixelRow

/** The one measure of code, in form, API and compiler: UTF-8 bytes. */
export function isWithinCodeLimit(code: string): boolean {
  return new TextEncoder().encode(code).length <= PIXEL_CODE_MAX_BYTES
}

/** The one measure of names and reasons: characters, not bytes. */
export function countCharacters(text: string): number {
  return [...text].length
}
