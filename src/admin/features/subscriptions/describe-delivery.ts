import { formatMinute } from '#admin/lib/format-date.ts'
import type { Subscription } from '#contract/newsletter.ts'

export const STATE_LABELS = { pending: 'Na fila', delivered: 'Entregue', failed: 'Falhou' } as const

/** Under the state: when, or why not. */
export function describeDelivery(subscription: Subscription, delivers: boolean): string {
  const { status, attempts, delivered_at, next_attempt_at, last_error } = subscription
  if (status === 'delivered') return delivered_at === null ? '' : `em ${formatMinute(delivered_at)}`
  const why = last_error === null ? null : explainError(last_error)
  if (status === 'failed') return [why, `desistimos após ${attempts} tentativas`].filter(Boolean).join('; ')
  if (!delivers) return 'guardada até que haja um webhook'
  if (why === null) return 'aguarda a primeira tentativa'
  return `${why}; nova tentativa em ${formatMinute(next_attempt_at)}`
}

/** What the webhook answered, or why nothing came. */
function explainError(error: string): string {
  const status = /^HTTP (\d{3})$/.exec(error)?.[1]
  if (status !== undefined) return `o webhook respondeu ${status}`
  if (error === 'timeout') return 'o webhook não respondeu a tempo'
  if (error === 'ECONNREFUSED') return 'o webhook recusou a conexão'
  if (error === 'ENOTFOUND' || error === 'EAI_AGAIN') return 'o endereço do webhook não foi encontrado'
  return `o webhook não foi alcançado (${error})`
}
