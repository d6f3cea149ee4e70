/** Shared by form and server; separate from the schema, so that the page needs no validation library. */

export const NEWSLETTER_PATH = '/api/newsletter'

/** A hidden field: only robots fill it in. */
export const NEWSLETTER_HONEYPOT = 'site'

/** The message box is green exactly if its text contains the word "sucesso". */
export const NEWSLETTER_MESSAGES = {
  success: 'Inscrição realizada com sucesso!',
  invalid: 'Por favor, insira um e-mail válido.',
  rejected: 'Ocorreu um erro. Tente novamente mais tarde.',
  unreachable: 'Erro ao tentar enviar. Tente novamente mais tarde.',
} as const

export function isSuccessMessage(text: string): boolean {
  return text.includes('sucesso')
}

/** Response of `POST /api/newsletter` for every status: the text to show. */
export interface NewsletterAnswer {
  message: string
}

export const SUBSCRIPTION_STATES = ['pending', 'delivered', 'failed'] as const

export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number]

/** A subscription, and whether the webhook has it. */
export interface Subscription {
  id: string
  email: string
  status: SubscriptionState
  attempts: number
  /** `HTTP 500`, `timeout`, or the name of a network error; null if the last attempt did not fail. */
  last_error: string | null
  next_attempt_at: string
  created_at: string
  delivered_at: string | null
}

/** `GET /admin/api/subscriptions?search&status&before`: newest first, in pages. */
export interface SubscriptionPage {
  subscriptions: Subscription[]
  /** For `before`; null on the last page. */
  next: string | null
  /** Of all subscriptions, without filters; on the first page only. */
  counts?: Record<SubscriptionState, number>
  /** False without a webhook: everything is kept until there is one. */
  delivers: boolean
}

/** `POST /admin/api/subscriptions/erase`. */
export interface ErasedSubscription {
  /** The webhook may have the address too and must be informed separately. */
  was_delivered: boolean
}
