import type { PixelType } from './pixel.ts'

/**
 * Who tells the vendor: the visitor's browser, our server, or both. With `server` no script of the vendor is loaded; with
 * `both` the two copies of one event carry the same `event_id`.
 */
export const PIXEL_DELIVERIES = ['browser', 'server', 'both'] as const
export type PixelDelivery = (typeof PIXEL_DELIVERIES)[number]

export const DELIVERY_LABELS: Record<PixelDelivery, string> = {
  browser: 'Navegador',
  server: 'Servidor',
  both: 'Navegador e servidor',
}

/** GA4 counts two copies of one event twice, so it has no `both`; a container runs in browsers only. */
export const DELIVERY_CHOICES: Record<PixelType, readonly PixelDelivery[]> = {
  meta: ['browser', 'server', 'both'],
  google_analytics: ['browser', 'server'],
  google_tag_manager: ['browser'],
  custom: ['browser', 'server'],
}

/** What `access_token` is called where it comes from; a type without a name takes none. */
export const ACCESS_TOKEN_LABELS: Partial<Record<PixelType, string>> = {
  meta: 'Token de acesso',
  google_analytics: 'Chave secreta da API (API secret)',
  custom: 'Segredo de assinatura',
}

/** Nothing that a header or an address would have to escape: what was pasted with a space or a quote is no token. */
const VENDOR_TOKEN_PATTERN = /^[A-Za-z0-9_.|~+/=-]{8,1000}$/
/** Standard Webhooks: 24 to 64 bytes in base64 behind `whsec_`. */
const WEBHOOK_SECRET_PATTERN = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/

export function isAccessToken(type: PixelType, token: string): boolean {
  if (type === 'custom') return WEBHOOK_SECRET_PATTERN.test(token)
  return type !== 'google_tag_manager' && VENDOR_TOKEN_PATTERN.test(token)
}

/** Only measurement and pixel IDs can be written to: `AW-…` and `GT-…` cannot. */
export const SERVER_ID_PATTERNS: Partial<Record<PixelType, RegExp>> = {
  meta: /^\d{5,20}$/,
  google_analytics: /^G-[A-Z0-9]{4,20}$/i,
}

export const WEBHOOK_URL_MAX_LENGTH = 500
