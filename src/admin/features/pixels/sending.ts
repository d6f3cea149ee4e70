import * as z from 'zod/mini'
import {
  CONVERSIONS,
  type ConversionLabels,
  fitsField,
  type ServedDestination,
} from '#contract/conversions.ts'
import {
  ACCESS_TOKEN_LABELS,
  DELIVERY_CHOICES,
  isAccessToken,
  type Pixel,
  type PixelDelivery,
  type PixelType,
  SERVER_ID_PATTERNS,
  WEBHOOK_URL_MAX_LENGTH,
} from '#contract/pixel.ts'
import { pixelDeliverySchema, pixelTypeSchema } from '#contract/pixel-schema.ts'
import { isWebhookAddress } from '#contract/public-host.ts'

/** The server's rule. */
export const META_TEST_CODE = /^[A-Za-z0-9_-]{1,64}$/

export const NO_SECRETS = { meta: '', google_analytics: '', google_tag_manager: '', custom: '' }

/** The default destination of custom pixels, which the form knows without asking the server. */
export const WEBHOOK = 'webhook'

const NO_IDS = { lead: '', contact: '', sign_up: '' }

/** The form's values about sending. Values of other types stay in the form. */
export const sendingFields = {
  /** Where the server sends a custom pixel's events. */
  destination: z.string(),
  /** The destination for which secret, account and IDs are stored. */
  stored_destination: z.string(),
  /** What the server says about `destination`; null for the type's own, and until it has loaded. */
  served: z.nullable(z.custom<ServedDestination>()),
  destination_account: z.string().check(z.trim()),
  event_ids: z.object({ lead: z.string(), contact: z.string(), sign_up: z.string() }),
  /** As chosen; `deliveryOf` maps it to the type. */
  delivery: pixelDeliverySchema,
  /** Typed now; empty keeps the stored one. */
  secrets: z.object({
    meta: z.string(),
    google_analytics: z.string(),
    google_tag_manager: z.string(),
    custom: z.string(),
  }),
  /** The type whose secret the server has. */
  stored_secret: z.nullable(pixelTypeSchema),
  forgets_secret: z.boolean(),
  webhook_url: z.string().check(z.trim()),
  send_hashed_email: z.boolean(),
}

const sendingSchema = z.object({ ...sendingFields, type: pixelTypeSchema, pixel_id: z.string() })

export type SendingForm = z.infer<typeof sendingSchema>

export function toSendingForm(pixel: Pixel | null): Omit<SendingForm, 'type' | 'pixel_id'> {
  const destination = pixel?.type === 'custom' ? (pixel.destination ?? WEBHOOK) : WEBHOOK
  return {
    destination,
    stored_destination: destination,
    served: null,
    destination_account: pixel?.destination_account ?? '',
    event_ids: { ...NO_IDS, ...pixel?.event_ids },
    delivery: pixel?.delivery ?? 'browser',
    secrets: NO_SECRETS,
    stored_secret: pixel?.has_access_token ? pixel.type : null,
    forgets_secret: false,
    webhook_url: pixel?.webhook_url ?? '',
    send_hashed_email: pixel?.send_hashed_email ?? false,
  }
}

type Chosen = Pick<SendingForm, 'type' | 'delivery'> & Partial<Pick<SendingForm, 'destination' | 'served'>>

/** The vendor that a custom pixel's events go to; null for the type's own destination. */
export function vendorOf({ type, served }: Pick<Chosen, 'type' | 'served'>): ServedDestination | null {
  return type === 'custom' ? (served ?? null) : null
}

/** Its destination is known by name only: nothing about it may be shown or stored. */
export function isUnknown({ type, destination, served }: Chosen): boolean {
  return type === 'custom' && (destination ?? WEBHOOK) !== WEBHOOK && !served
}

/** The ways that the form offers. */
export function waysOf(form: Chosen): readonly PixelDelivery[] {
  const vendor = vendorOf(form)
  return vendor === null ? DELIVERY_CHOICES[form.type] : ['browser', ...vendor.deliveries]
}

/** A way that the type does not have counts as the browser's. */
export function deliveryOf(form: Chosen): PixelDelivery {
  return isUnknown(form) || waysOf(form).includes(form.delivery) ? form.delivery : 'browser'
}

/** The stored secret belongs to the destination that the form shows. */
export function hasStoredSecret(
  form: Pick<SendingForm, 'type' | 'destination' | 'stored_destination' | 'stored_secret'>,
): boolean {
  return (
    form.stored_secret === form.type &&
    (form.type !== 'custom' || form.destination === form.stored_destination)
  )
}

/** Without empty ones. */
function givenIds(ids: SendingForm['event_ids']): ConversionLabels {
  return Object.fromEntries(CONVERSIONS.map((name) => [name, ids[name].trim()]).filter(([, id]) => id))
}

type SendingColumns = Partial<
  Pick<
    Pixel,
    'delivery' | 'send_hashed_email' | 'webhook_url' | 'destination' | 'destination_account' | 'event_ids'
  >
> & { access_token?: string | null }

/** The columns to store. Omitted ones stay unchanged: a saved secret, and an unused webhook address. */
export function toSendingColumns(form: SendingForm): SendingColumns {
  if (isUnknown(form)) return {}
  const delivery = deliveryOf(form)
  const secret = form.secrets[form.type].trim()
  const vendor = vendorOf(form)
  if (vendor !== null && delivery !== 'browser')
    return {
      delivery,
      destination: vendor.id,
      destination_account: vendor.account === null ? null : form.destination_account.trim(),
      event_ids: vendor.event_id === null ? null : givenIds(form.event_ids),
      send_hashed_email: vendor.takes_hashed_email && form.send_hashed_email,
      webhook_url: null,
      ...(secret === '' ? {} : { access_token: secret }),
    }
  const isWebhook = form.type === 'custom'
  return {
    delivery,
    send_hashed_email: form.type === 'meta' && delivery !== 'browser' && form.send_hashed_email,
    ...(delivery === 'browser'
      ? { ...(form.forgets_secret ? { access_token: null } : {}) }
      : { ...(secret === '' ? {} : { access_token: secret }) }),
    ...(isWebhook && delivery === 'browser' ? {} : { webhook_url: isWebhook ? form.webhook_url : null }),
    // The server clears account and IDs of the former destination.
    ...(isWebhook && delivery !== 'browser' && form.stored_destination !== WEBHOOK
      ? { destination: WEBHOOK, destination_account: null, event_ids: null }
      : {}),
  }
}

interface SendingFault {
  field:
    | 'pixel_id'
    | 'webhook_url'
    | 'destination_account'
    | `event_ids.${(typeof CONVERSIONS)[number]}`
    | `secrets.${PixelType}`
  message: string
}

/** Why the server could not send this way, by the server's rules; null if it could, or if the browser sends. */
export function findSendingFault(form: SendingForm): SendingFault | null {
  const { type } = form
  if (deliveryOf(form) === 'browser' || isUnknown(form)) return null
  const vendor = vendorOf(form)
  if (vendor !== null) return findVendorFault(form, vendor)
  const pattern = SERVER_ID_PATTERNS[type]
  if (pattern !== undefined && form.pixel_id.trim() !== '' && !pattern.test(form.pixel_id.trim()))
    return {
      field: 'pixel_id',
      message:
        type === 'meta'
          ? 'Para enviar pelo servidor, use um Pixel ID só com números.'
          : 'Para enviar pelo servidor, use o Measurement ID do GA4, que começa com "G-".',
    }
  const webhook = form.webhook_url.trim()
  if (type === 'custom' && (webhook.length > WEBHOOK_URL_MAX_LENGTH || !isWebhookAddress(webhook)))
    return {
      field: 'webhook_url',
      message:
        webhook === ''
          ? 'Digite o endereço que vai receber as conversões.'
          : 'Use um endereço público que comece com https://, como https://exemplo.com.br/conversoes. Não inclua porta, usuário nem senha.',
    }
  const secret = form.secrets[type].trim()
  if (secret === '' && !hasStoredSecret(form))
    return { field: `secrets.${type}`, message: `Preencha o campo "${ACCESS_TOKEN_LABELS[type]}".` }
  if (secret !== '' && !isAccessToken(type, secret))
    return {
      field: `secrets.${type}`,
      message:
        type === 'custom'
          ? 'Este segredo não é válido. Copie de novo do sistema que recebe os envios: ele começa com "whsec_".'
          : 'O valor parece incompleto. Copie de novo, sem espaços nem aspas.',
    }
  return null
}

function findVendorFault(
  form: SendingForm,
  { account, event_id, secret }: ServedDestination,
): SendingFault | null {
  if (account !== null && !fitsField(account, form.destination_account.trim()))
    return { field: 'destination_account', message: account.refusal }
  if (event_id !== null) {
    const ids = givenIds(form.event_ids)
    const wrong = CONVERSIONS.find((name) => ids[name] !== undefined && !fitsField(event_id, ids[name]))
    if (wrong !== undefined || Object.keys(ids).length === 0)
      return { field: `event_ids.${wrong ?? 'lead'}`, message: event_id.refusal }
  }
  const typed = form.secrets.custom.trim()
  if (typed === '' && !hasStoredSecret(form))
    return { field: 'secrets.custom', message: `Preencha o campo "${secret.label}".` }
  if (typed !== '' && !fitsField(secret, typed))
    return { field: 'secrets.custom', message: capitalise(secret.refusal) }
  return null
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/**
 * Where to show a refusal that these rules did not foresee. The form cannot know whether the stored secret still
 * exists; other refusals are shown at the choice.
 */
export function fieldOfRefusal(form: SendingForm): SendingFault['field'] | 'delivery' {
  return findSendingFault({ ...form, stored_secret: null })?.field ?? 'delivery'
}

interface Answerer {
  who: string
  Who: string
  ofWho: string
}

/** The one that answers for a pixel. */
export function answererOf(type: PixelType, vendor: ServedDestination | null): Answerer {
  if (vendor === null) return ANSWERERS[type]
  const { who } = vendor
  return { who, Who: capitalise(who), ofWho: `d${who}` }
}

/** Who answers: as the subject of a sentence, at its beginning, and as the owner of the answer. */
const ANSWERERS: Record<PixelType, Answerer> = {
  meta: { who: 'a Meta', Who: 'A Meta', ofWho: 'da Meta' },
  google_analytics: { who: 'o Google', Who: 'O Google', ofWho: 'do Google' },
  google_tag_manager: { who: 'o Google', Who: 'O Google', ofWho: 'do Google' },
  custom: { who: 'seu webhook', Who: 'Seu webhook', ofWho: 'do seu webhook' },
}
