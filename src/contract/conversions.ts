import type { PixelDelivery, PixelType } from './pixel.ts'
import type { SentEvent, ServerEventName } from './server-event.ts'

/** Conversions: followed "Abrir Conta", contacted a specialist, subscribed to the newsletter. */
export const CONVERSIONS = ['lead', 'contact', 'sign_up'] as const

export type Conversion = (typeof CONVERSIONS)[number]

export const CONVERSION_NAMES: Record<Conversion, string> = {
  lead: 'Clique em "Abrir Conta"',
  contact: 'Clique em "Falar com Especialista"',
  sign_up: 'Inscrição na newsletter',
}

/** Label by which some vendors identify conversions. Narrow, because it is inserted into a call. */
export const CONVERSION_LABEL_PATTERN = /^[A-Za-z0-9_/-]{1,64}$/

/** By conversion; one without a label is not sent to a vendor that needs it. */
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
 * State of an event sent by the server. `unconfirmed`: sent, and the vendor never confirms (GA4). `withheld`: consent
 * was withdrawn, or the event switched off, before it was sent.
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
  waiting: 'Na fila',
  expired: 'Expirado',
  withheld: 'Não enviado',
}

/** One attempt with the vendor's answer, without data of the visitor. */
interface LoggedDelivery {
  id: string
  at: string
  event: SentEvent
  /** What people call the outcome; null for an event of the page. */
  outcome_label: string | null
  /** `waiting`: it will be retried. */
  state: DeliveryState
  /** Number of the attempt, from 1. */
  attempts: number
  /** The vendor's answer, as `HTTP 400 · 100/2804003` or `ETIMEDOUT`. */
  answer: string
  /** In Portuguese, with what to do. */
  message: string
}

export const TOKEN_MISSING =
  'O token de acesso não foi encontrado. Salve o token de novo neste pixel para retomar o envio.'

/** Why nothing is sent although events wait. */
interface SendingStop {
  /** `token_refused`, `account_blocked`, `not_permitted`, `token_missing`. */
  code: string
  message: string
  since: string
}

/** `GET /admin/api/pixels/ID/deliveries`. */
export interface PixelDeliveries {
  /** Newest first, at most twenty. */
  deliveries: LoggedDelivery[]
  waiting: number
  /** When the next one is tried; null if none waits or sending is stopped. */
  next_attempt_at: string | null
  /** When the first one expires; null if none waits. */
  first_expires_at: string | null
  stopped: SendingStop | null
  /**
   * What the vendor said later about events of the last 30 days that it had accepted; null if it was not asked or said
   * nothing. What waits for its result is not included.
   */
  confirmations: { confirmed: number; refused: number; unanswered: number } | null
  /** Of the last 30 days, most frequent first; also those that the vendor accepted at first. */
  refusals: { reason: string; message: string; count: number }[]
}

/** `POST /admin/api/pixels/ID/deliveries/retry`: waiting events are tried now, and a stop is lifted. */
export interface RetriedDeliveries {
  waiting: number
}

/** A form field of a destination. Texts are Portuguese. */
export interface DestinationField {
  label: string
  hint: string | null
  example: string | null
  /** A regular expression for valid values. */
  pattern: string
  max_length: number
  /** Why a value is refused, and what to enter. */
  refusal: string
}

export function fitsField({ max_length: maxLength, pattern }: DestinationField, text: string): boolean {
  return text.length <= maxLength && new RegExp(pattern).test(text)
}

/** An element of `GET /admin/api/destinations`: where the server can send events, and what it needs. */
export interface ServedDestination {
  /** Value of a pixel's `destination`. */
  id: string
  name: string
  /** The type of its pixels; the first of a type is the default. */
  type: PixelType
  /** The catalogue's vendor whose code suggests it; null if none does. */
  vendor: string | null
  /** Who answers, with its article. */
  who: string
  /** Besides `browser`. */
  deliveries: Exclude<PixelDelivery, 'browser'>[]
  /** What each way means. */
  meanings: Partial<Record<PixelDelivery, string>>
  recommended: PixelDelivery | null
  more: string | null
  /** The vendor's name of each event; null for those that it never gets. */
  events: Record<ServerEventName, string | null>
  /** `pixel_id`, or `destination_account` for custom pixels; null if it has none. */
  account: DestinationField | null
  /** `access_token`. */
  secret: DestinationField & { where: string }
  /** `webhook_url`; null if it has none. */
  url: DestinationField | null
  /** Each of `event_ids`; null if the vendor needs none. */
  event_id: DestinationField | null
  /** Whether `send_hashed_email` is possible. */
  takes_hashed_email: boolean
  /** Whether the vendor judges events after it accepted them, and is asked for the result. */
  confirms_later: boolean
  test: {
    /** What happens with a test event at the vendor. */
    meaning: string
    /** `test_event_code`; null if the vendor needs none. */
    code: DestinationField | null
    /** False: the event is only checked here, because the vendor would count it. */
    is_sent: boolean
  }
}

/** Body of `POST /admin/api/pixels/ID/check`; Meta shows events with this code under "Testar eventos". */
export interface DeliveryCheckInput {
  test_event_code?: string
}

/**
 * Body of `POST /admin/api/pixels/check`: the same for an unsaved form, so that working settings are not replaced by
 * refused ones. Without a token the stored one of `id` is used.
 */
export interface DeliveryDraftInput extends DeliveryCheckInput {
  id?: string
  type: PixelType
  /** From `GET /admin/api/destinations`; defaults to the type's own. */
  destination?: string | null
  pixel_id: string | null
  destination_account?: string | null
  event_ids?: ConversionLabels | null
  webhook_url?: string | null
  access_token?: string | null
}

/** The response: what was sent, without the secret, and the answer. */
export interface DeliveryCheck {
  state: 'accepted' | 'unconfirmed' | 'refused' | 'waiting'
  request: { method: 'POST'; url: string; body: unknown }
  /** True if nothing was sent: the vendor has no test mode, and the event was checked here. */
  checked_here?: true
  /** Null if there was none. */
  response: { status: number; body: string } | null
  /** In Portuguese, with what to do. */
  message: string
}
