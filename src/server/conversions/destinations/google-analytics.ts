import { randomInt } from 'node:crypto'
import { clickIdsOf } from '#contract/click-ids.ts'
import { HOUR_MS } from '#contract/durations.ts'
import { outcomeOf, type ServerEventName } from '#contract/server-event.ts'
import { readCookie } from '#server/http/requests.ts'
import { VISIT_GAP_MS } from '#server/stats/series.ts'
import { type Identity, makeCookie, VISITOR_COOKIE_DAYS } from '../visitor-cookies.ts'
import { connectionFailed } from './answers.ts'
import {
  type Destination,
  type EventPayload,
  type Job,
  type OutcomeJob,
  type OutgoingRequest,
  type PageJob,
  pageAddress,
  type ReceivedAnswer,
  type ServerCookie,
  type Target,
  type TestMode,
  VENDOR_TOKEN,
  type Verdict,
  type Visit,
} from './destination.ts'

const NEVER_CONFIRMS =
  'O Google não informa erros. Se os eventos não aparecerem no relatório Tempo real em 10 minutos, confira o Measurement ID (G-…) e a chave secreta da API.'

const CLIENT_COOKIE: ServerCookie = {
  name: 'portico_analytics',
  days: VISITOR_COOKIE_DAYS,
  purpose: 'Diferencia as visitas nas medições enviadas pelo nosso servidor.',
  category: 'desempenho',
}

const CLICK_IDS = clickIdsOf('google')

/** Names that Google keeps for itself. */
const RESERVED_NAMES =
  /^(?:_|ga_|google_|gtag\.|firebase_)|^(?:ad_|app_|error$|first_|in_app_purchase$|notification_|os_update$|screen_view$|session_start$|user_engagement$)/

const EVENTS: Record<ServerEventName, string> = {
  page_view: 'page_view',
  lead: 'generate_lead',
  contact: 'contact',
  sign_up: 'sign_up',
}

/** GA4's Measurement Protocol: it answers 204 to everything and counts duplicates. */
export const googleAnalytics: Destination = {
  id: 'google_analytics',
  name: 'Google Analytics 4',
  type: 'google_analytics',
  vendor: 'google-analytics-4',
  who: 'o Google',
  api: { url: 'https://www.google-analytics.com', version: '' },
  events: EVENTS,
  ways: ['server'],
  form: {
    account: {
      label: 'Measurement ID',
      example: 'G-7XK2M9QTLP',
      // `AW-…` and `GT-…` do not accept events.
      pattern: /^[Gg]-[A-Za-z0-9]{4,20}$/,
      maxLength: 22,
      refusal: 'Para enviar pelo servidor, informe o Measurement ID do GA4, que começa com "G-".',
    },
    secret: {
      label: 'Chave secreta da API (API secret)',
      ...VENDOR_TOKEN,
      where: 'Crie em Administrador > Fluxos de dados > Chaves secretas da API do Measurement Protocol.',
    },
    meanings: {
      browser: 'O script do Google roda na página. Bloqueadores de anúncios podem impedir parte dos envios.',
      server: 'Sem script do Google na página. Os relatórios ficam incompletos.',
    },
    more: 'Sem o script na página, não há vínculo com o Google Ads, e o Google não confirma o que recebe.',
  },
  clickIds: CLICK_IDS,
  cookies: [CLIENT_COOKIE],
  cookiesReadBy: [],
  identify,
  carries: ['address', 'agent'],
  // Google changes the time of events older than three days.
  windowMs: () => 71 * HOUR_MS,
  batch: 1,
  parallel: 32,
  atMostOnce: true,
  request,
  readAnswer,
  refusalText: (reason) =>
    `O Google recusou o evento (${reason}). Confira o Measurement ID e, se continuar, avise a equipe de TI.`,
  outcomes: {
    event: {
      label: 'Evento no Google Analytics',
      hint: 'Um evento recomendado, ou um nome seu em letras minúsculas, números e _.',
      example: 'qualify_lead',
      pattern: /^[a-z][a-z0-9_]{0,39}$/,
      maxLength: 40,
      accepts: (name) => !RESERVED_NAMES.test(name),
      refusal: 'Use até 40 letras minúsculas, números ou _, e nenhum nome que o Google reserva.',
    },
    needValue: ['purchase'],
    known: ['purchase', 'qualify_lead', 'close_convert_lead', 'generate_lead', 'sign_up'],
    suggest: (name) => (RESERVED_NAMES.test(name) ? `resultado_${name}`.slice(0, 40) : name),
    identify: ({ at, clickIds, number }) => {
      const seconds = Math.floor(at / 1000)
      return { ...clickIds, client: `${number}.${seconds}`, session: String(seconds) }
    },
  },
  unconfirmed: {
    attempt: NEVER_CONFIRMS,
    health:
      'O servidor enviou, mas o Google não confirma o recebimento. Confira o relatório Tempo real do Google Analytics.',
  },
  test: {
    meaning: 'Enviamos um evento ao validador do Google. Ele não registra nada nem verifica o ID e a chave.',
    ids: (now) => {
      const seconds = Math.floor(now / 1000)
      return { client: `1.${seconds}`, session: String(seconds), engagementMs: 1 }
    },
    read: readTestAnswer,
  },
}

function request(
  { account, secret, siteUrl, api }: Target,
  [job]: readonly Job[],
  test?: TestMode,
): OutgoingRequest {
  const url = new URL(test === undefined ? '/mp/collect' : '/debug/mp/collect', api.url)
  url.searchParams.set('measurement_id', account)
  url.searchParams.set('api_secret', secret)
  return { url: url.href, headers: {}, body: toBody(job as Job, siteUrl) }
}

const PARAMS: Record<ServerEventName, Record<string, string | number>> = {
  page_view: {},
  lead: { currency: 'BRL', value: 0, lead_source: 'abrir_conta' },
  contact: { method: 'whatsapp' },
  sign_up: { method: 'newsletter' },
}

interface AnalyticsIds {
  client?: string
  session?: string
  /** Milliseconds since the previous event. */
  engagementMs?: number
}

function toBody(job: Job, siteUrl: string): Record<string, unknown> {
  return job.outcome === undefined ? toEvent(job, siteUrl) : toOutcome(job, siteUrl)
}

/** Contains nothing that identifies a person: no email, no ID of ours. */
function toEvent({ event, payload }: PageJob, siteUrl: string): Record<string, unknown> {
  const { client, session, engagementMs } = payload as AnalyticsIds
  const micros = payload.at * 1000
  const page = {
    session_id: session ?? '',
    engagement_time_msec: engagementMs ?? 1,
    page_location: withClickIds(pageAddress(siteUrl, payload), payload).slice(0, 1000),
    ...(payload.title === undefined ? {} : { page_title: payload.title.slice(0, 300) }),
  }
  const campaign = describeCampaign(payload.campaign)
  return {
    client_id: client ?? '',
    timestamp_micros: micros,
    consent: consentOf(payload),
    ...(payload.address === null ? {} : { ip_override: payload.address }),
    ...(payload.agent === null ? {} : { user_agent: payload.agent }),
    events: [
      // The campaign comes before the page view.
      ...(campaign === null || event !== 'page_view'
        ? []
        : [{ name: 'campaign_details', timestamp_micros: micros, params: { ...campaign, ...page } }]),
      { name: EVENTS[event], timestamp_micros: micros, params: { ...PARAMS[event], ...page } },
    ],
  }
}

/** What Google demands of events of these names, beside the value of the outcome. */
const DEMANDED: Record<string, (job: OutcomeJob) => Record<string, unknown>> = {
  generate_lead: () => ({ value: 0, currency: 'BRL' }),
  purchase: ({ event, event_id }) => ({
    transaction_id: event_id,
    items: [{ item_id: outcomeOf(event) }],
  }),
}

/** Its client is made for the visit: the page's own is not known to whoever reports an outcome. */
function toOutcome(job: OutcomeJob, siteUrl: string): Record<string, unknown> {
  const {
    payload,
    outcome: { event, value },
  } = job
  const { client, session } = payload as AnalyticsIds
  const micros = payload.at * 1000
  return {
    client_id: client ?? '',
    timestamp_micros: micros,
    consent: consentOf(payload),
    events: [
      {
        name: event,
        timestamp_micros: micros,
        params: {
          ...DEMANDED[event]?.(job),
          ...(value === null ? {} : { value: Number(value.amount), currency: value.currency }),
          session_id: session ?? '',
          engagement_time_msec: 1,
          page_location: withClickIds(pageAddress(siteUrl, payload), payload),
        },
      },
    ],
  }
}

function consentOf(payload: EventPayload): Record<string, string> {
  const ads = payload.marketing ? 'GRANTED' : 'DENIED'
  return { ad_user_data: ads, ad_personalization: ads }
}

/** Google reads its click IDs from the address, as its tag does. They are about ads: only after consent to marketing. */
function withClickIds(address: string, payload: EventPayload): string {
  const ids = CLICK_IDS.filter((name) => payload.marketing && typeof payload[name] === 'string')
  if (ids.length === 0) return address
  const url = new URL(address)
  for (const name of ids) url.searchParams.set(name, String(payload[name]))
  return url.href
}

const CAMPAIGN_NAMES: Record<string, string> = {
  utm_source: 'source',
  utm_medium: 'medium',
  utm_campaign: 'campaign',
  utm_term: 'term',
  utm_content: 'content',
  utm_id: 'campaign_id',
}

function describeCampaign(campaign: Record<string, string> | undefined): Record<string, string> | null {
  const known = Object.entries(campaign ?? {}).flatMap(([name, value]) =>
    CAMPAIGN_NAMES[name] === undefined ? [] : [[CAMPAIGN_NAMES[name], value.slice(0, 100)]],
  )
  return known.length === 0 ? null : Object.fromEntries(known)
}

const MAX_INT = 2_147_483_647

/** The format is undocumented; the client ID is the last two parts. */
const GOOGLE_CLIENT = /^GA\d\.[\d-]+\.(\d{1,10}\.\d{1,10})$/

const CLIENT = /^(\d{1,10}\.\d{1,10})\.(\d{10})\.(\d{13})$/

/** Client and session; a new session begins after half an hour without an event. */
function identify(visit: Visit): Identity<{ client: string; session: string; engagementMs: number }> {
  const { header, now } = visit
  const [, known, started = '', last = ''] = CLIENT.exec(readCookie(header, CLIENT_COOKIE.name) ?? '') ?? []
  const [, fromTag] = GOOGLE_CLIENT.exec(readCookie(header, '_ga') ?? '') ?? []
  const seconds = Math.floor(now / 1000)
  const client = known ?? fromTag ?? `${randomInt(1, MAX_INT)}.${seconds}`
  const idleMs = known === undefined ? Number.POSITIVE_INFINITY : now - Number(last)
  const goesOn = idleMs >= 0 && idleMs < VISIT_GAP_MS
  const session = goesOn ? started : String(seconds)
  return {
    values: { ...visit.clickIds, client, session, engagementMs: goesOn ? Math.max(1, idleMs) : 1 },
    cookies: [makeCookie(visit, CLIENT_COOKIE, `${client}.${session}.${now}`)],
  }
}

/** Only requests that were never written arrive here without an answer: they may be sent again. */
function readAnswer(answer: ReceivedAnswer): Verdict {
  if (answer.kind === 'failed') return connectionFailed('o Google', answer)
  const said = `HTTP ${answer.status}`
  if (answer.status >= 200 && answer.status < 300)
    return { kind: 'settled', state: 'unconfirmed', reason: '', answer: said, message: NEVER_CONFIRMS }
  return {
    kind: 'settled',
    state: 'refused',
    reason: said,
    answer: said,
    message: refusedRequest(answer.status),
  }
}

/** Google's debug endpoint checks the format of an event, not the secret or the ID. */
function readTestAnswer(answer: ReceivedAnswer): ReturnType<NonNullable<Destination['test']['read']>> {
  if (answer.kind === 'failed')
    return {
      state: 'waiting',
      message: `Não foi possível conectar ao Google (${answer.code}). Tente novamente.`,
    }
  if (answer.status !== 200) return { state: 'refused', message: refusedRequest(answer.status) }
  const isClean = /"validationMessages"\s*:\s*\[\s*\]/.test(answer.body)
  return isClean
    ? { state: 'unconfirmed', message: `O formato está certo. ${NEVER_CONFIRMS}` }
    : {
        state: 'refused',
        message: 'O Google recusou o formato do evento. Veja os detalhes abaixo e avise a equipe de TI.',
      }
}

function refusedRequest(status: number): string {
  return `O Google recusou o evento (HTTP ${status}). Confira o Measurement ID e a chave secreta da API. Se estiverem certos, avise a equipe de TI.`
}
