import * as z from 'zod/mini'
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
import { publicHostOf } from '#contract/public-host.ts'

/** As the server takes it. */
export const META_TEST_CODE = /^[A-Za-z0-9_-]{1,64}$/

export const NO_SECRETS = { meta: '', google_analytics: '', google_tag_manager: '', custom: '' }

/** What the form holds about sending. Whatever belongs to one type stays in the form while another one is looked at. */
export const sendingFields = {
  /** As it was chosen; `deliveryOf` says what that is for the type. */
  delivery: pixelDeliverySchema,
  /** Typed now; empty leaves the stored one as it is. */
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
  return {
    delivery: pixel?.delivery ?? 'browser',
    secrets: NO_SECRETS,
    stored_secret: pixel?.has_access_token ? pixel.type : null,
    forgets_secret: false,
    webhook_url: pixel?.webhook_url ?? '',
    send_hashed_email: pixel?.send_hashed_email ?? false,
  }
}

/** A way that the type does not have counts as the browser's. */
export function deliveryOf({ type, delivery }: Pick<SendingForm, 'type' | 'delivery'>): PixelDelivery {
  return DELIVERY_CHOICES[type].includes(delivery) ? delivery : 'browser'
}

type SendingColumns = Partial<Pick<Pixel, 'webhook_url'>> &
  Pick<Pixel, 'delivery' | 'send_hashed_email'> & { access_token?: string | null }

/** What is stored of it. What is not named stays as it is: a saved secret, and the address of a webhook that rests. */
export function toSendingColumns(form: SendingForm): SendingColumns {
  const delivery = deliveryOf(form)
  const secret = form.secrets[form.type].trim()
  const isWebhook = form.type === 'custom'
  return {
    delivery,
    send_hashed_email: form.type === 'meta' && delivery !== 'browser' && form.send_hashed_email,
    ...(delivery === 'browser'
      ? { ...(form.forgets_secret ? { access_token: null } : {}) }
      : { ...(secret === '' ? {} : { access_token: secret }) }),
    ...(isWebhook && delivery === 'browser' ? {} : { webhook_url: isWebhook ? form.webhook_url : null }),
  }
}

interface SendingFault {
  field: 'pixel_id' | 'webhook_url' | `secrets.${PixelType}`
  message: string
}

/** Why the server could not send this way, by the server's own rules; null when it could, or the browser sends. */
export function findSendingFault(form: SendingForm): SendingFault | null {
  const { type } = form
  if (deliveryOf(form) === 'browser') return null
  const pattern = SERVER_ID_PATTERNS[type]
  if (pattern !== undefined && form.pixel_id.trim() !== '' && !pattern.test(form.pixel_id.trim()))
    return {
      field: 'pixel_id',
      message:
        type === 'meta'
          ? 'Para enviar pelo servidor, use só os números do Pixel ID.'
          : 'Para enviar pelo servidor, use o Measurement ID do GA4, que começa com "G-".',
    }
  if (type === 'custom' && !isWebhookAddress(form.webhook_url.trim()))
    return {
      field: 'webhook_url',
      message:
        form.webhook_url.trim() === ''
          ? 'Informe o endereço que vai receber as conversões.'
          : 'Use um endereço público que comece com https://, com nome de domínio, sem porta, usuário ou senha.',
    }
  const secret = form.secrets[type].trim()
  if (secret === '' && form.stored_secret !== type)
    return { field: `secrets.${type}`, message: `Preencha: ${ACCESS_TOKEN_LABELS[type]}.` }
  if (secret !== '' && !isAccessToken(type, secret))
    return {
      field: `secrets.${type}`,
      message:
        type === 'custom'
          ? 'Use "whsec_" seguido de 24 a 64 bytes em base64, como no padrão Standard Webhooks.'
          : 'Isto não parece inteiro. Copie de novo, sem espaços nem aspas.',
    }
  return null
}

function isWebhookAddress(address: string): boolean {
  if (!URL.canParse(address) || address.length > WEBHOOK_URL_MAX_LENGTH) return false
  const { username, password, hash } = new URL(address)
  return username === '' && password === '' && hash === '' && publicHostOf(address) !== null
}

/**
 * Where a refusal of the server stands that these rules did not foresee. What the form cannot know is whether the stored
 * secret is still there; whatever else it is stands with the choice itself.
 */
export function fieldOfRefusal(form: SendingForm): SendingFault['field'] | 'delivery' {
  return findSendingFault({ ...form, stored_secret: null })?.field ?? 'delivery'
}

/** Who answers, as the subject of a sentence and at its beginning. */
export const ANSWERERS: Record<PixelType, { who: string; Who: string }> = {
  meta: { who: 'a Meta', Who: 'A Meta' },
  google_analytics: { who: 'o Google', Who: 'O Google' },
  google_tag_manager: { who: 'o Google', Who: 'O Google' },
  custom: { who: 'o webhook', Who: 'O webhook' },
}
