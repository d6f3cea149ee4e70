import { createHmac } from 'node:crypto'
import { publicHostOf } from '#contract/public-host.ts'
import { NOT_PUBLIC } from '#server/http/outgoing.ts'
import { VISITOR_COOKIE, VISITOR_COOKIE_DAYS } from '../visitor-cookies.ts'
import {
  DAY_MS,
  type Destination,
  HOUR_MS,
  type Job,
  type OutgoingRequest,
  pageAddress,
  type ReceivedAnswer,
  type Target,
  type TestMode,
  type Verdict,
} from './destination.ts'

/** A webhook as https://www.standardwebhooks.com says: any 2xx is a delivery, 410 ends it, all else comes again. */
export const webhook: Destination = {
  id: 'webhook',
  name: 'Webhook',
  type: 'custom',
  ways: ['server'],
  form: {
    secret: {
      label: 'Segredo de assinatura',
      // Standard Webhooks: 24 to 64 bytes in base64.
      pattern: /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/,
      maxLength: 96,
      refusal: 'use "whsec_" seguido de 24 a 64 bytes em base64, como no padrão Standard Webhooks.',
    },
    url: {
      label: 'Endereço do webhook',
      example: 'https://hooks.exemplo.com.br/conversoes',
      pattern: /^[Hh][Tt][Tt][Pp][Ss]:/,
      maxLength: 500,
      accepts: isPublicUrl,
      refusal:
        'O endereço do webhook precisa ser público e começar com https://, com nome de domínio, na porta padrão e sem usuário ou senha.',
    },
  },
  clickIds: [],
  cookies: [
    {
      name: VISITOR_COOKIE,
      days: VISITOR_COOKIE_DAYS,
      purpose: 'Distingue um navegador de outro no que o nosso servidor envia.',
      category: null,
    },
  ],
  cookiesReadBy: [],
  carries: [],
  // As long as the newsletter's.
  windowMs: () => 7 * DAY_MS - HOUR_MS,
  batch: 1,
  parallel: 5,
  atMostOnce: false,
  request,
  readAnswer,
  refusalText: (reason) => `O destino recusou a requisição (${reason}).`,
  test: {
    meaning: 'Envia um evento de teste, assinado, ao endereço acima.',
    ids: () => ({}),
  },
}

function isPublicUrl(text: string): boolean {
  const url = URL.parse(text)
  const isPlain = url !== null && url.username === '' && url.password === '' && url.hash === ''
  return isPlain && publicHostOf(text) !== null
}

/** The id is the event's own, the same at each attempt: the receiver can recognise a duplicate. */
function request({ url, secret, siteUrl }: Target, [job]: readonly Job[], test?: TestMode): OutgoingRequest {
  const { event, event_id, payload } = job as Job
  const body = {
    type: `conversion.${event}`,
    timestamp: new Date(payload.at).toISOString(),
    data: {
      event_id,
      event,
      // Ours to say: the receiver must not count it.
      ...(test === undefined ? {} : { test: true }),
      url: pageAddress(siteUrl, payload),
      ...(payload.title === undefined ? {} : { title: payload.title }),
      ...(payload.campaign === undefined ? {} : { campaign: payload.campaign }),
    },
  }
  const seconds = String(Math.floor(Date.now() / 1000))
  return {
    url: url ?? '',
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

function readAnswer(answer: ReceivedAnswer): Verdict {
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
