import { createHmac } from 'node:crypto'

export interface Webhook {
  url: string
  secret: string | null
  timeoutMs: number
}

export type DeliveryResult =
  | { kind: 'delivered' }
  /** `reason` is a status or an error code: never what the other side wrote, never an address. */
  | { kind: 'failed'; reason: string; retryAfterMs: number | null }
  /** We are shutting down: it says nothing about the webhook. */
  | { kind: 'interrupted' }

const MAX_DRAINED_BYTES = 65_536

/** One attempt. Any 2xx is a delivery; a redirect is not followed, because the address is the operator's to choose. */
export async function postWebhook(
  webhook: Webhook,
  subscription: { email: string; delivery_key: string },
  stopping: AbortSignal,
): Promise<DeliveryResult> {
  const body = JSON.stringify({ email: subscription.email })
  const { url, authorization } = splitCredentials(webhook.url)
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([stopping, AbortSignal.timeout(webhook.timeoutMs)]),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Portico',
        'idempotency-key': subscription.delivery_key,
        ...(webhook.secret === null ? {} : { 'x-portico-signature': sign(body, webhook.secret) }),
        ...(authorization === null ? {} : { authorization }),
      },
      body,
    })
    await drain(response)
    if (response.ok) return { kind: 'delivered' }
    return {
      kind: 'failed',
      reason: `HTTP ${response.status}`,
      retryAfterMs: readRetryAfter(response.headers.get('retry-after')),
    }
  } catch (error) {
    if (stopping.aborted) return { kind: 'interrupted' }
    return { kind: 'failed', reason: describeFailure(error), retryAfterMs: null }
  }
}

function sign(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/** `fetch` refuses an address that carries a user and a password. */
function splitCredentials(address: string): { url: string; authorization: string | null } {
  const url = new URL(address)
  if (url.username === '' && url.password === '') return { url: address, authorization: null }
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  return { url: url.href, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

/** The status has been said; reading a short body to its end only lets the connection be used again. */
async function drain(response: Response): Promise<void> {
  if (response.body === null) return
  let drained = 0
  try {
    for await (const chunk of response.body) {
      drained += chunk.byteLength
      if (drained > MAX_DRAINED_BYTES) return
    }
  } catch {
    // Cut off or timed out after the status: the answer stands.
  }
}

function readRetryAfter(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null
}

function describeFailure(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'timeout'
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = (cause as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : 'network error'
}
