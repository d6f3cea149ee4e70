import type { DeliveryState } from '#contract/conversions.ts'
import {
  ACCESS_TOKEN_LABELS,
  DELIVERY_CHOICES,
  DELIVERY_LABELS,
  isAccessToken,
  PIXEL_TYPE_LABELS,
  type PixelDelivery,
  type PixelType,
  SERVER_ID_PATTERNS,
  WEBHOOK_URL_MAX_LENGTH,
} from '#contract/pixel.ts'
import { publicHostOf } from '#contract/public-host.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import type { Row } from '#server/data/resource.ts'
import type { EventPayload, PixelKind } from '#server/db/schema/outbox.ts'
import { AppError } from '#server/http/errors.ts'
import type { OutgoingClient } from '#server/http/outgoing.ts'

/** An event that this process has claimed. */
export interface Job {
  id: string
  pixel_id: string
  event_id: string
  event: ServerEventName
  consent_id: string
  category: string
  attempts: number
  created_at: string
  expires_at: string
  payload: EventPayload
}

/** Where a pixel's events go, and what with. */
export interface Target {
  kind: PixelKind
  /** The vendor's ID of the pixel. */
  account: string
  /** Never logged, shown or put into an error. */
  secret: string
  webhookUrl: string | null
  /** Whether it may be told the hash of an address: what was switched off since is not sent. */
  sendsEmail: boolean
  siteUrl: string
  graphVersion: string
}

export interface Request {
  url: string
  headers: Record<string, string>
  body: unknown
}

/** How one kind of destination is told. */
export interface Channel {
  /** Events in one request. */
  batch: number
  /** Requests at a time, in one round. */
  parallel: number
  /** The vendor counts twice what comes twice: what may have been written is never sent again. */
  atMostOnce: boolean
  send(client: OutgoingClient, target: Target, jobs: readonly Job[], signal: AbortSignal): Promise<Verdict>
}

/** What an answer says, in words for the log of the dashboard. */
interface Said {
  /** `HTTP 400 · 100/2804003`, or why there was none: never an address, a header or what a visitor did. */
  answer: string
  /** Portuguese, with what to do. */
  message: string
}

/** What became of one request, and so of each event in it. */
export type Verdict =
  | (Said & {
      kind: 'settled'
      state: Extract<DeliveryState, 'accepted' | 'unconfirmed' | 'refused'>
      /** Of a refusal, as a code. */
      reason: string
    })
  /** Later; `afterMs` is what the vendor asked for. */
  | (Said & { kind: 'retry'; afterMs: number | null })
  /** Nothing will be taken until somebody mends something. */
  | (Said & { kind: 'stop'; code: string })
  /** One bad event refuses the whole request: the parts are sent apart. */
  | (Said & { kind: 'split'; reason: string })
  /** We are shutting down: it says nothing about the vendor. */
  | { kind: 'interrupted' }

/** The page as vendors are told of it: its path, and of its query only the campaign. */
export function pageAddress(
  siteUrl: string,
  { path, campaign }: Pick<EventPayload, 'path' | 'campaign'>,
): string {
  const url = new URL(path, siteUrl)
  for (const [name, value] of Object.entries(campaign ?? {})) url.searchParams.set(name, value)
  return url.href
}

/** Throws when a pixel could not be sent the way that it says, in words for whoever wrote it. Never names the secret. */
export function refuseDelivery(row: Row): void {
  const type = row.type as PixelType
  const delivery = row.delivery as PixelDelivery
  if (!DELIVERY_CHOICES[type].includes(delivery))
    throw refused(
      `O envio "${DELIVERY_LABELS[delivery]}" não existe para o tipo ${PIXEL_TYPE_LABELS[type]}. Escolha ${listChoices(type)}.`,
    )
  if (typeof row.access_token === 'string') refuseToken(type, row.access_token)
  refuseAddress(type, row.webhook_url)
  if (row.send_hashed_email === true && (type !== 'meta' || delivery === 'browser'))
    throw refused(
      'O e-mail em código (hash) só pode ser enviado por um Pixel da Meta com envio pelo servidor.',
    )
  if (delivery !== 'browser') refuseIncomplete(type, row)
}

function refuseToken(type: PixelType, token: string): void {
  const label = ACCESS_TOKEN_LABELS[type]
  if (label === undefined)
    throw refused(`O tipo ${PIXEL_TYPE_LABELS[type]} roda só no navegador e não usa token.`)
  if (isAccessToken(type, token)) return
  throw refused(
    type === 'custom'
      ? `${label}: use "whsec_" seguido de 24 a 64 bytes em base64, como no padrão Standard Webhooks.`
      : `${label}: o texto colado não parece um token. Copie de novo, sem espaços nem aspas.`,
  )
}

function refuseAddress(type: PixelType, address: unknown): void {
  if (typeof address !== 'string') return
  if (type !== 'custom') throw refused('Só um pixel personalizado tem endereço de webhook.')
  const url = URL.canParse(address) ? new URL(address) : null
  const isPlain = url !== null && url.username === '' && url.password === '' && url.hash === ''
  if (!isPlain || address.length > WEBHOOK_URL_MAX_LENGTH || publicHostOf(address) === null)
    throw refused(
      'O endereço do webhook precisa ser público e começar com https://, com nome de domínio, na porta padrão e sem usuário ou senha.',
    )
}

function refuseIncomplete(type: PixelType, row: Row): void {
  const pattern = SERVER_ID_PATTERNS[type]
  if (pattern !== undefined && !pattern.test(String(row.pixel_id)))
    throw refused(
      type === 'meta'
        ? 'Para enviar pelo servidor, o Pixel ID da Meta precisa ter só números.'
        : 'Para enviar pelo servidor, informe o Measurement ID do GA4, que começa com "G-".',
    )
  if (type === 'custom' && typeof row.webhook_url !== 'string')
    throw refused('Para enviar pelo servidor, informe o endereço do webhook.')
  if (row.has_access_token !== true)
    throw refused(
      `Para enviar pelo servidor, informe: ${ACCESS_TOKEN_LABELS[type]}. Para removê-lo, escolha antes o envio "${DELIVERY_LABELS.browser}".`,
    )
}

function listChoices(type: PixelType): string {
  return DELIVERY_CHOICES[type].map((choice) => `"${DELIVERY_LABELS[choice]}"`).join(' ou ')
}

/** A code of its own: dashboards show an unknown code's message as it is. */
const refused = (message: string) => new AppError(400, 'pixel_delivery_refused', message)
