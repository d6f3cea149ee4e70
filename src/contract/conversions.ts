import type { PixelDelivery, PixelType } from './pixel.ts'
import type { ServerEventName } from './server-event.ts'

/** What a visitor did that a vendor may be told: followed "Abrir Conta", asked for a specialist, subscribed to the newsletter. */
export const CONVERSIONS = ['lead', 'contact', 'sign_up'] as const

export type Conversion = (typeof CONVERSIONS)[number]

export const CONVERSION_NAMES: Record<Conversion, string> = {
  lead: 'Clique em "Abrir Conta"',
  contact: 'Clique em "Falar com Especialista"',
  sign_up: 'Inscrição na newsletter',
}

/** What some vendors need to tell their conversions apart; it is pasted into a call, so it is narrow. */
export const CONVERSION_LABEL_PATTERN = /^[A-Za-z0-9_/-]{1,64}$/

/** By conversion; one without a label is not told to a vendor that needs one. */
export type ConversionLabels = Partial<Record<Conversion, string>>

export function isConversionLabels(value: unknown): value is ConversionLabels {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false
  return Object.entries(value).every(
    ([name, label]) =>
      (CONVERSIONS as readonly string[]).includes(name) &&
      typeof label === 'string' &&
      CONVERSION_LABEL_PATTERN.test(label),
  )
}

/**
 * Where an event is that the server tells a vendor of. `unconfirmed`: sent, and the vendor never says more (GA4).
 * `withheld`: the visitor took their consent back before it was sent.
 */
export const DELIVERY_STATES = [
  'accepted',
  'unconfirmed',
  'refused',
  'waiting',
  'expired',
  'withheld',
] as const

export type DeliveryState = (typeof DELIVERY_STATES)[number]

export const DELIVERY_STATE_LABELS: Record<DeliveryState, string> = {
  accepted: 'Aceito',
  unconfirmed: 'Enviado, sem confirmação',
  refused: 'Recusado',
  waiting: 'Aguardando',
  expired: 'Expirado',
  withheld: 'Retido: consentimento retirado',
}

/** One attempt as the vendor answered it; nothing about the visitor. */
interface LoggedDelivery {
  id: string
  at: string
  event: ServerEventName
  /** `waiting`: it will be tried again. */
  state: DeliveryState
  /** Which attempt it was, the first being 1. */
  attempts: number
  /** What the vendor said, as `HTTP 400 · 100/2804003` or `ETIMEDOUT`. */
  answer: string
  /** In Portuguese, with what to do. */
  message: string
}

export const TOKEN_MISSING =
  'Falta o token com que o servidor se identifica. Nada é enviado até que ele seja salvo de novo neste pixel.'

/** Why nothing is sent at the moment although events wait. */
interface SendingStop {
  /** `token_refused`, `account_blocked`, `not_permitted`, `token_missing`. */
  code: string
  message: string
  since: string
}

/** `GET /admin/api/pixels/ID/deliveries`. */
export interface PixelDeliveries {
  /** The newest first, twenty at most. */
  deliveries: LoggedDelivery[]
  waiting: number
  /** When the next of them is tried; null when none waits or sending is stopped. */
  next_attempt_at: string | null
  /** When the first of them expires; null when none waits. */
  first_expires_at: string | null
  stopped: SendingStop | null
  /** Of the last 30 days, the most frequent first. */
  refusals: { reason: string; message: string; count: number }[]
}

/** `POST /admin/api/pixels/ID/deliveries/retry`: what waits is tried now, and sending goes on if it was stopped. */
export interface RetriedDeliveries {
  waiting: number
}

/** A field of a form, as a destination asks for it. Texts are Portuguese. */
export interface DestinationField {
  label: string
  example: string | null
  /** A regular expression that every valid value matches. */
  pattern: string
  max_length: number
  /** Why a value is refused, and what to enter. */
  refusal: string
}

/** An element of `GET /admin/api/destinations`: where the server can send events, and what it needs for that. */
export interface ServedDestination {
  /** Value of a pixel's `destination`. */
  id: string
  name: string
  /** The type of the pixels that may name it; the first of a type is the one of pixels that name none. */
  type: PixelType
  /** Besides `browser`. */
  deliveries: Exclude<PixelDelivery, 'browser'>[]
  /** `pixel_id`; null where it has none. */
  account: DestinationField | null
  /** `access_token`. */
  secret: DestinationField
  /** `webhook_url`; null where it has none. */
  url: DestinationField | null
  /** Whether `send_hashed_email` is possible. */
  takes_hashed_email: boolean
  test: {
    /** What a test event is for the vendor. */
    meaning: string
    /** `test_event_code`; null where the vendor needs none. */
    code: (DestinationField & { hint: string }) | null
  }
}

/** Body of `POST /admin/api/pixels/ID/check`; Meta shows events with this code under "Testar eventos". */
export interface DeliveryCheckInput {
  test_event_code?: string
}

/**
 * Body of `POST /admin/api/pixels/check`: the same of a form that is not saved, so that what works is not replaced by what
 * the vendor refuses. Without a token the stored one of `id` is used.
 */
export interface DeliveryDraftInput extends DeliveryCheckInput {
  id?: string
  type: PixelType
  /** Of `GET /admin/api/destinations`; the type's own where none is named. */
  destination?: string | null
  pixel_id: string | null
  webhook_url?: string | null
  access_token?: string | null
}

/** Its answer: what exactly was sent, without the secret, and what came back. */
export interface DeliveryCheck {
  state: 'accepted' | 'unconfirmed' | 'refused' | 'waiting'
  request: { method: 'POST'; url: string; body: unknown }
  /** null when none came. */
  response: { status: number; body: string } | null
  /** In Portuguese, with what to do. */
  message: string
}
