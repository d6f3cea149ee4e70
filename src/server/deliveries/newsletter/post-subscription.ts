import { createHmac } from 'node:crypto'
import type { Answer, OutgoingClient } from '../outgoing-client.ts'

export interface Webhook {
  url: string
  secret: string | null
  timeoutMs: number
}

export type PostResult =
  | { kind: 'delivered' }
  /** `reason` is a status or an error code: never what the other side wrote, never an address. */
  | { kind: 'failed'; reason: string; retryAfterMs: number | null }
  /** We are shutting down: it says nothing about the webhook. */
  | { kind: 'interrupted' }

/** One attempt. Any 2xx is a delivery; a redirect is not followed, because the address is the operator's to choose. */
export async function postSubscription(
  client: OutgoingClient,
  webhook: Webhook,
  subscription: { email: string; delivery_key: string },
  stopping: AbortSignal,
): Promise<PostResult> {
  const body = JSON.stringify({ email: subscription.email })
  const { url, authorization } = splitCredentials(webhook.url)
  const answer = await client.post(
    url,
    {
      'idempotency-key': subscription.delivery_key,
      ...(webhook.secret === null ? {} : { 'x-portico-signature': sign(body, webhook.secret) }),
      ...(authorization === null ? {} : { authorization }),
    },
    body,
    stopping,
    { anyAddress: true, timeoutMs: webhook.timeoutMs, statusOnly: true },
  )
  return read(answer)
}

function read(answer: Answer): PostResult {
  if (answer.kind === 'interrupted') return { kind: 'interrupted' }
  if (answer.kind === 'failed') return { kind: 'failed', reason: describe(answer.code), retryAfterMs: null }
  if (answer.status >= 200 && answer.status < 300) return { kind: 'delivered' }
  const patience = answer.headers['retry-after']
  return {
    kind: 'failed',
    reason: `HTTP ${answer.status}`,
    retryAfterMs: typeof patience === 'string' && /^\d{1,6}$/.test(patience) ? Number(patience) * 1000 : null,
  }
}

function sign(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/** A user and a password in the address become a header: addresses end up in logs. */
function splitCredentials(address: string): { url: string; authorization: string | null } {
  const url = new URL(address)
  if (url.username === '' && url.password === '') return { url: address, authorization: null }
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  return { url: url.href, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

/** As the list of subscriptions has always named them. */
function describe(code: string): string {
  if (code === 'ETIMEDOUT' || code.endsWith('_TIMEOUT')) return 'timeout'
  return code === 'ENETWORK' || code.startsWith('HPE_') ? 'network error' : code
}
