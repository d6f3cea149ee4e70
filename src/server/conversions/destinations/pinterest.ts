import { clickIdsOf } from '#contract/click-ids.ts'
import { DAY_MS } from '#contract/durations.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import { readRetryAfter } from '#server/http/outgoing.ts'
import { type AnswerTable, readAnswerBy } from './answers.ts'
import {
  CONTENT_NAMES,
  type Destination,
  type EventVerdict,
  identifyClick,
  type Job,
  type OutgoingRequest,
  type PageJob,
  pageAddress,
  type ServerCookie,
  sha256,
  type Target,
  type TestMode,
  VENDOR_TOKEN,
  type Verdict,
} from './destination.ts'

/** https://developers.pinterest.com/docs/api-features/conversion-overview/ lists them; the schema takes any text. */
const EVENTS: Record<ServerEventName, string> = {
  page_view: 'page_visit',
  lead: 'lead',
  contact: 'contact',
  sign_up: 'signup',
}

const CLICK_COOKIE: ServerCookie = {
  name: 'portico_pinterest',
  days: 90,
  purpose: 'Guarda o clique no anúncio do Pinterest que trouxe a pessoa ao site.',
  category: 'marketing',
}

/** Pinterest's Conversions API v5. It merges duplicates by name and ID for 48 hours, and answers for each event. */
export const pinterest: Destination = {
  id: 'pinterest',
  name: 'Pinterest',
  type: 'custom',
  vendor: 'pinterest-tag',
  who: 'o Pinterest',
  api: { url: 'https://api.pinterest.com', version: 'v5' },
  events: EVENTS,
  ways: ['server', 'both'],
  form: {
    account: {
      label: 'ID da conta de anúncios',
      example: '549755885175',
      hint: 'Só números. Está no Gerenciador de Anúncios, ao lado do nome da conta.',
      pattern: /^\d{5,20}$/,
      maxLength: 20,
      refusal: 'Para enviar pelo servidor, informe o ID da conta de anúncios do Pinterest, só com números.',
    },
    secret: {
      label: 'Token de conversão',
      ...VENDOR_TOKEN,
      where: 'Gere em Gerenciador de Anúncios > Conversões > API de Conversões.',
    },
    meanings: {
      browser:
        'O script do Pinterest roda na página. Bloqueadores de anúncios podem impedir parte dos envios.',
      server: 'Sem script do Pinterest na página: bloqueadores de anúncios não interferem.',
      both: 'Enviamos pelos dois caminhos, e o Pinterest conta uma vez só.',
    },
    recommended: 'server',
  },
  clickIds: clickIdsOf('pinterest'),
  cookies: [CLICK_COOKIE],
  cookiesReadBy: [],
  identify: (visit) => identifyClick(visit, CLICK_COOKIE, { epik: '_epik' }),
  carries: ['address', 'agent'],
  email: { recipient: 'pinterest', hash: 'ordinary' },
  // Pinterest refuses an event that has neither an email nor both of these.
  isUseful: ({ address, agent, email }) => email !== undefined || (address !== null && agent !== null),
  // Duplicates are merged for 48 hours.
  windowMs: () => 2 * DAY_MS,
  batch: 50,
  parallel: 2,
  atMostOnce: false,
  request,
  readAnswer: (answer, sent) => readAnswerBy(ANSWERS, answer, sent),
  refusalText,
  test: {
    meaning: 'O Pinterest confere um evento de teste e não registra nada.',
    // It wants the browser with an address; this one is reserved for documentation.
    ids: () => ({ address: '203.0.113.7' }),
  },
}

function request(
  { account, secret, siteUrl, api }: Target,
  jobs: readonly Job[],
  test?: TestMode,
): OutgoingRequest {
  return {
    url: `${api.url}/${api.version}/ad_accounts/${account}/events${test === undefined ? '' : '?test=true'}`,
    headers: { authorization: `Bearer ${secret}` },
    body: {
      data: jobs.flatMap((job) => (job.outcome === undefined ? [toEvent(job, siteUrl)] : [])),
    },
  }
}

/** Unknown keys are refused. */
function toEvent({ event, event_id, payload }: PageJob, siteUrl: string): Record<string, unknown> {
  const { address, agent, visitor, email } = payload
  const { epik } = payload as { epik?: string }
  const content_name = CONTENT_NAMES[event]
  return {
    event_name: EVENTS[event],
    action_source: 'web',
    event_time: Math.floor(payload.at / 1000),
    event_id,
    event_source_url: pageAddress(siteUrl, payload),
    partner_name: 'direct',
    user_data: {
      ...(address === null ? {} : { client_ip_address: address }),
      ...(agent === null ? {} : { client_user_agent: agent }),
      ...(epik === undefined ? {} : { click_id: epik }),
      external_id: [sha256(visitor.toLowerCase())],
      ...(email === undefined ? {} : { em: [email] }),
    },
    ...(content_name === undefined ? {} : { custom_data: { content_name } }),
  }
}

const ANSWERS: AnswerTable = {
  who: 'o Pinterest',
  codesOf: ({ code }) => (typeof code === 'number' ? [String(code)] : []),
  readSuccess: (body, status, sent) => (status === 200 ? readEvents(body?.events, sent) : null),
  rows: [
    {
      on: ['HTTP 401'],
      means: 'stop',
      code: 'token_refused',
      message:
        'O Pinterest recusou o token de conversão, e o envio parou. Gere um novo token no Gerenciador de Anúncios e salve no pixel.',
    },
    {
      on: ['HTTP 403'],
      means: 'stop',
      code: 'not_permitted',
      message:
        'O token de conversão não tem acesso a esta conta de anúncios, e o envio parou. Confira o ID da conta e o token no Pinterest.',
    },
    { on: ['HTTP 429'], means: 'limited' },
    { on: [/^HTTP 4/], means: 'refused' },
  ],
  refusalText,
  // Seconds until the limit is reset.
  readWait: (headers) => readRetryAfter(headers['x-ratelimit-reset']),
}

/** In the order sent. */
function readEvents(events: unknown, sent: number): Verdict | null {
  if (!Array.isArray(events) || events.length !== sent) return null
  return { kind: 'each', verdicts: events.map(readEvent) }
}

function readEvent(event: { status?: unknown; warning_message?: unknown } | null): EventVerdict {
  const answer = `HTTP 200 · ${event?.status === 'processed' ? 'processed' : 'failed'}`
  if (event?.status !== 'processed')
    return { kind: 'settled', state: 'refused', reason: 'failed', answer, message: refusalText('failed') }
  return {
    kind: 'settled',
    state: 'accepted',
    reason: '',
    answer,
    message: event.warning_message
      ? 'O Pinterest aceitou o evento, mas apontou dados incompletos.'
      : 'O Pinterest aceitou o evento.',
  }
}

function refusalText(reason: string): string {
  return reason === 'failed'
    ? 'O Pinterest não processou o evento. Se continuar, avise a equipe de TI.'
    : `O Pinterest recusou o formato do evento (código ${reason}). Avise a equipe de TI.`
}
