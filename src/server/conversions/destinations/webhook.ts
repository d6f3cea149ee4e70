import { createHmac } from 'node:crypto'
import { DAY_MS, HOUR_MS } from '#contract/durations.ts'
import { WEBHOOK_URL_MAX_LENGTH } from '#contract/pixel.ts'
import { isWebhookAddress } from '#contract/public-host.ts'
import { outcomeOf, type ServerEventName } from '#contract/server-event.ts'
import { NOT_PUBLIC, readRetryAfter } from '#server/http/outgoing.ts'
import { VISITOR_COOKIE, VISITOR_COOKIE_DAYS } from '../visitor-cookies.ts'
import {
  type Destination,
  type Job,
  type OutgoingRequest,
  pageAddress,
  type ReceivedAnswer,
  type Target,
  type TestMode,
  type Verdict,
} from './destination.ts'

const EVENTS: Record<ServerEventName, string> = {
  page_view: 'conversion.page_view',
  lead: 'conversion.lead',
  contact: 'conversion.contact',
  sign_up: 'conversion.sign_up',
}

/**
 * Standard Webhooks (https://www.standardwebhooks.com): any 2xx is a delivery, 410 ends it, everything else is retried.
 */
export const webhook: Destination = {
  id: 'webhook',
  name: 'Webhook',
  type: 'custom',
  who: 'seu webhook',
  events: EVENTS,
  ways: ['server'],
  form: {
    secret: {
      label: 'Segredo de assinatura',
      // Standard Webhooks: 24 to 64 bytes in base64.
      pattern: /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/,
      maxLength: 96,
      refusal:
        'cole o segredo completo, que começa com "whsec_" (padrão Standard Webhooks, de 24 a 64 bytes em base64).',
      where:
        'Use o mesmo segredo do sistema que recebe os envios. Ele começa com whsec_ e prova que o envio veio daqui.',
    },
    url: {
      label: 'Endereço do webhook',
      example: 'https://hooks.exemplo.com.br/conversoes',
      hint: 'Precisa ser público e começar com https://. Recebe uma chamada (POST) por conversão.',
      pattern: /^[Hh][Tt][Tt][Pp][Ss]:/,
      maxLength: WEBHOOK_URL_MAX_LENGTH,
      accepts: isWebhookAddress,
      refusal:
        'Use um endereço público que comece com https:// e um nome de domínio, sem porta, usuário ou senha.',
    },
    meanings: {
      browser: 'O código acima roda na página.',
      server: 'Nada roda na página. Enviamos cada conversão ao endereço que você indicar.',
    },
    more: 'Os envios pelo servidor são assinados no padrão Standard Webhooks: o segredo é "whsec_" seguido de 24 a 64 bytes em base64.',
  },
  clickIds: [],
  cookies: [
    {
      name: VISITOR_COOKIE,
      days: VISITOR_COOKIE_DAYS,
      purpose: 'Diferencia um navegador de outro nos dados enviados pelo nosso servidor.',
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
  refusalText: (reason) =>
    `O webhook recusou o evento (${reason}). Confira o endereço e, se continuar, avise a equipe de TI.`,
  outcomes: {
    event: {
      label: 'Tipo do envio',
      hint: 'O campo "type" que o seu sistema recebe.',
      example: 'outcome.primeira_venda',
      pattern: /^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,63}$/,
      maxLength: 64,
      refusal: 'Use até 64 letras, números, pontos, _ ou -.',
    },
    known: [],
    suggest: (name) => `outcome.${name}`,
    identify: () => ({}),
    oldestMs: 90 * DAY_MS,
  },
  test: {
    meaning: 'Enviamos um evento de teste assinado para o endereço acima.',
    ids: () => ({}),
  },
}

/** The id is the event's and stays the same for each attempt, so that the receiver can detect duplicates. */
function request({ url, secret, siteUrl }: Target, [job]: readonly Job[], test?: TestMode): OutgoingRequest {
  const { event_id } = job as Job
  const body = toBody(job as Job, siteUrl, test !== undefined)
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

function toBody(job: Job, siteUrl: string, isTest: boolean) {
  const { event, event_id, payload } = job
  const timestamp = new Date(payload.at).toISOString()
  if (job.outcome !== undefined) {
    const { event: type, value } = job.outcome
    return {
      type,
      timestamp,
      data: {
        event_id,
        name: outcomeOf(event),
        ...(value && { value: value.amount, currency: value.currency }),
      },
    }
  }
  return {
    type: EVENTS[job.event],
    timestamp,
    data: {
      event_id,
      event,
      // Tells the receiver not to count it.
      ...(isTest ? { test: true } : {}),
      url: pageAddress(siteUrl, payload),
      ...(payload.title === undefined ? {} : { title: payload.title }),
      ...(payload.campaign === undefined ? {} : { campaign: payload.campaign }),
    },
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
        ? 'O endereço do webhook é de uma rede interna, então nada é enviado. Use um endereço público.'
        : 'O webhook não respondeu. Vamos tentar de novo.'
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
        'O webhook respondeu que não existe mais (410), e o envio parou. Confira o endereço e salve de novo.',
    }
  return {
    kind: 'retry',
    afterMs: readRetryAfter(answer.headers['retry-after']),
    answer: said,
    message: `O webhook respondeu ${said}. Vamos tentar de novo.`,
  }
}
