import { randomInt } from 'node:crypto'
import type { ServerEventName } from '#contract/server-event.ts'
import { readCookie } from '#server/http/requests.ts'
import { type Identity, makeCookie, VISITOR_COOKIE_DAYS } from '../visitor-cookies.ts'
import {
  type Destination,
  HOUR_MS,
  type Job,
  type OutgoingRequest,
  pageAddress,
  type ReceivedAnswer,
  type ServerCookie,
  type Target,
  type TestMode,
  VENDOR_TOKEN,
  type Verdict,
  type Visit,
} from './destination.ts'

const COLLECT = 'https://www.google-analytics.com/mp/collect'
const DEBUG = 'https://www.google-analytics.com/debug/mp/collect'

const NEVER_CONFIRMS =
  'O Google não avisa erros. Se os eventos não aparecem no Tempo real em 10 minutos, confira o ID (G-...) e a chave secreta.'

const CLIENT_COOKIE: ServerCookie = {
  name: 'portico_analytics',
  days: VISITOR_COOKIE_DAYS,
  purpose: 'Distingue visitas nas medições que o nosso servidor envia.',
  category: 'desempenho',
}

/** GA4's Measurement Protocol: answers 204 to anything, and counts duplicates. */
export const googleAnalytics: Destination = {
  id: 'google_analytics',
  name: 'Google Analytics 4',
  type: 'google_analytics',
  ways: ['server'],
  form: {
    account: {
      label: 'Measurement ID',
      example: 'G-7XK2M9QTLP',
      // `AW-…` and `GT-…` cannot be written to.
      pattern: /^[Gg]-[A-Za-z0-9]{4,20}$/,
      maxLength: 22,
      refusal: 'Para enviar pelo servidor, informe o Measurement ID do GA4, que começa com "G-".',
    },
    secret: { label: 'Chave secreta da API (API secret)', ...VENDOR_TOKEN },
  },
  clickIds: [],
  cookies: [CLIENT_COOKIE],
  cookiesReadBy: [],
  identify,
  carries: ['address', 'agent'],
  // Google moves the time of what is older than three days.
  windowMs: () => 71 * HOUR_MS,
  batch: 1,
  parallel: 10,
  atMostOnce: true,
  request,
  readAnswer,
  refusalText: (reason) => `O destino recusou a requisição (${reason}).`,
  unconfirmed: {
    attempt: NEVER_CONFIRMS,
    health: 'Enviado pelo servidor; o Google não confirma. Confira o Tempo real do Google Analytics.',
  },
  test: {
    meaning:
      'Envia um evento ao endereço de depuração do Google, que não guarda nada e não confere nem o ID nem a chave.',
    ids: (now) => {
      const seconds = Math.floor(now / 1000)
      return { client: `1.${seconds}`, session: String(seconds), engagementMs: 1 }
    },
    read: readTestAnswer,
  },
}

function request(
  { account, secret, siteUrl }: Target,
  [job]: readonly Job[],
  test?: TestMode,
): OutgoingRequest {
  const url = new URL(test === undefined ? COLLECT : DEBUG)
  url.searchParams.set('measurement_id', account)
  url.searchParams.set('api_secret', secret)
  return { url: url.href, headers: {}, body: toEvent(job as Job, siteUrl) }
}

const EVENTS: Record<ServerEventName, { name: string; params: Record<string, string | number> }> = {
  page_view: { name: 'page_view', params: {} },
  lead: { name: 'generate_lead', params: { currency: 'BRL', value: 0, lead_source: 'abrir_conta' } },
  contact: { name: 'contact', params: { method: 'whatsapp' } },
  sign_up: { name: 'sign_up', params: { method: 'newsletter' } },
}

interface AnalyticsIds {
  client?: string
  session?: string
  /** Since the event before it. */
  engagementMs?: number
}

/** Nothing that identifies a person: no e-mail, no number of ours. */
function toEvent({ event, payload }: Job, siteUrl: string): Record<string, unknown> {
  const { name, params } = EVENTS[event]
  const { client, session, engagementMs } = payload as AnalyticsIds
  const micros = payload.at * 1000
  const ads = payload.marketing ? 'GRANTED' : 'DENIED'
  const page = {
    session_id: session ?? '',
    engagement_time_msec: engagementMs ?? 1,
    page_location: pageAddress(siteUrl, payload).slice(0, 1000),
    ...(payload.title === undefined ? {} : { page_title: payload.title.slice(0, 300) }),
  }
  const campaign = describeCampaign(payload.campaign)
  return {
    client_id: client ?? '',
    timestamp_micros: micros,
    consent: { ad_user_data: ads, ad_personalization: ads },
    ...(payload.address === null ? {} : { ip_override: payload.address }),
    ...(payload.agent === null ? {} : { user_agent: payload.agent }),
    events: [
      // Where the visit came from, before what it did.
      ...(campaign === null || event !== 'page_view'
        ? []
        : [{ name: 'campaign_details', timestamp_micros: micros, params: { ...campaign, ...page } }]),
      { name, timestamp_micros: micros, params: { ...params, ...page } },
    ],
  }
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

const SESSION_GAP_MS = 30 * 60_000

const MAX_INT = 2_147_483_647

/** Its layout is not documented; the client ID is the last two parts. */
const GOOGLE_CLIENT = /^GA\d\.[\d-]+\.(\d{1,10}\.\d{1,10})$/

const CLIENT = /^(\d{1,10}\.\d{1,10})\.(\d{10})\.(\d{13})$/

/** Client and session; after half an hour without an event another session begins. */
function identify(visit: Visit): Identity<{ client: string; session: string; engagementMs: number }> {
  const { header, now } = visit
  const [, known, started = '', last = ''] = CLIENT.exec(readCookie(header, CLIENT_COOKIE.name) ?? '') ?? []
  const [, fromTag] = GOOGLE_CLIENT.exec(readCookie(header, '_ga') ?? '') ?? []
  const seconds = Math.floor(now / 1000)
  const client = known ?? fromTag ?? `${randomInt(1, MAX_INT)}.${seconds}`
  const idleMs = known === undefined ? Number.POSITIVE_INFINITY : now - Number(last)
  const goesOn = idleMs >= 0 && idleMs < SESSION_GAP_MS
  const session = goesOn ? started : String(seconds)
  return {
    values: { client, session, engagementMs: goesOn ? Math.max(1, idleMs) : 1 },
    cookies: [makeCookie(visit, CLIENT_COOKIE, `${client}.${session}.${now}`)],
  }
}

/** Only what was never written comes here without an answer: it may be sent again. */
function readAnswer(answer: ReceivedAnswer): Verdict {
  if (answer.kind === 'failed')
    return {
      kind: 'retry',
      afterMs: null,
      answer: answer.code,
      message: 'Não foi possível falar com o Google. Tentaremos de novo.',
    }
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

/** Google's debug endpoint reads the form of an event; it knows nothing of the secret or the ID. */
function readTestAnswer(answer: ReceivedAnswer): ReturnType<NonNullable<Destination['test']['read']>> {
  if (answer.kind === 'failed')
    return { state: 'waiting', message: `Não foi possível falar com o Google (${answer.code}).` }
  if (answer.status !== 200) return { state: 'refused', message: refusedRequest(answer.status) }
  const isClean = /"validationMessages"\s*:\s*\[\s*\]/.test(answer.body)
  return isClean
    ? { state: 'unconfirmed', message: `O formato está certo. ${NEVER_CONFIRMS}` }
    : {
        state: 'refused',
        message:
          'O Google recusou o formato do evento. Fale com a equipe de TI: a resposta inteira está abaixo.',
      }
}

function refusedRequest(status: number): string {
  return `O Google recusou a requisição (HTTP ${status}). Confira o Measurement ID e a chave secreta da API; se estiverem certos, fale com a equipe de TI.`
}
