/** What form and server both know of a subscription, apart from the schema so that the page carries no validation library. */

export const NEWSLETTER_PATH = '/api/newsletter'

/** A field that people never see: who fills it in is a robot. */
export const NEWSLETTER_HONEYPOT = 'site'

/** A box is green exactly when its text contains the word "sucesso". */
export const NEWSLETTER_MESSAGES = {
  success: 'Inscrição realizada com sucesso!',
  invalid: 'Por favor, insira um e-mail válido.',
  rejected: 'Ocorreu um erro. Tente novamente mais tarde.',
  unreachable: 'Erro ao tentar enviar. Tente novamente mais tarde.',
} as const

export function isSuccessMessage(text: string): boolean {
  return text.includes('sucesso')
}

/** Answer of `POST /api/newsletter`, whatever its status: the text to show. */
export interface NewsletterAnswer {
  message: string
}

export const SUBSCRIPTION_STATES = ['pending', 'delivered', 'failed'] as const

export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number]

/** Who asked for the newsletter, and whether the webhook has the address. */
export interface Subscription {
  id: string
  email: string
  status: SubscriptionState
  attempts: number
  /** `HTTP 500`, `timeout`, or the name of a network error; null when the last attempt did not fail. */
  last_error: string | null
  next_attempt_at: string
  created_at: string
  delivered_at: string | null
}

/** `GET /admin/api/subscriptions?search&status&before`: the newest first, a page at a time. */
export interface SubscriptionPage {
  subscriptions: Subscription[]
  /** For `before`; null on the last page. */
  next: string | null
  /** Of all of them, whatever was asked for; on the first page only. */
  counts?: Record<SubscriptionState, number>
  /** False where no webhook is configured: everything is kept until there is one. */
  delivers: boolean
}

/** `POST /admin/api/subscriptions/erase`. */
export interface ErasedSubscription {
  /** The webhook may have the address too, and must be told by other means. */
  was_delivered: boolean
}
