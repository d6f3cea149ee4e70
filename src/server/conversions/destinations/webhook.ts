import { createHmac } from 'node:crypto'
import { type Answer, NOT_PUBLIC } from '#server/http/outgoing.ts'
import {
  type Channel,
  type Job,
  pageAddress,
  type Request,
  type Target,
  type Verdict,
} from './destination.ts'

/** A webhook as https://www.standardwebhooks.com says: any 2xx is a delivery, 410 ends it, all else comes again. */
export const webhookChannel: Channel = {
  batch: 1,
  parallel: 5,
  atMostOnce: false,
  async send(client, target, jobs, signal) {
    const { url, headers, body } = composeWebhookRequest(target, jobs[0] as Job)
    const answer = await client.post(url, headers, JSON.stringify(body), signal)
    return answer.kind === 'interrupted' ? { kind: 'interrupted' } : readWebhookAnswer(answer)
  },
}

/** The id is the event's own, the same at each attempt: whoever receives can tell a copy. */
export function composeWebhookRequest(
  { webhookUrl, secret, siteUrl }: Target,
  job: Job,
  { isTest = false, now = Date.now() }: { isTest?: boolean; now?: number } = {},
): Request {
  const { event, event_id, payload } = job
  const body = {
    type: `conversion.${event}`,
    timestamp: new Date(payload.at).toISOString(),
    data: {
      event_id,
      event,
      // Ours to say: whoever receives it must not count it.
      ...(isTest ? { test: true } : {}),
      url: pageAddress(siteUrl, payload),
      ...(payload.title === undefined ? {} : { title: payload.title }),
      ...(payload.campaign === undefined ? {} : { campaign: payload.campaign }),
    },
  }
  const seconds = String(Math.floor(now / 1000))
  return {
    url: webhookUrl ?? '',
    headers: {
      'webhook-id': event_id,
      'webhook-timestamp': seconds,
      'webhook-signature': signWebhook(secret, event_id, seconds, JSON.stringify(body)),
    },
    body,
  }
}

export function signWebhook(secret: string, id: string, seconds: string, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
}

export function readWebhookAnswer(answer: Exclude<Answer, { kind: 'interrupted' }>): Verdict {
  if (answer.kind === 'failed') {
    const message =
      answer.code === NOT_PUBLIC
        ? 'O endereço do webhook leva a uma rede interna, e nada é enviado para lá. Confira o endereço.'
        : 'O webhook não respondeu. Tentaremos de novo.'
    return { kind: 'retry', afterMs: null, answer: answer.code, message }
  }
  const said = `HTTP ${answer.status}`
  if (answer.status >= 200 && answer.status < 300)
    return {
      kind: 'settled',
      state: 'accepted',
      reason: '',
      answer: said,
      message: 'O webhook aceitou o evento.',
    }
  if (answer.status === 410)
    return {
      kind: 'stop',
      code: 'endpoint_gone',
      answer: said,
      message:
        'O webhook respondeu que não existe mais. O envio está parado. Confira o endereço e salve de novo.',
    }
  return {
    kind: 'retry',
    afterMs: readRetryAfter(answer.headers['retry-after']),
    answer: said,
    message: `O webhook respondeu ${said}. Tentaremos de novo.`,
  }
}

function readRetryAfter(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null
}
