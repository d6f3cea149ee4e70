import { randomInt } from 'node:crypto'
import { clickIdsOf } from '#contract/click-ids.ts'
import { DAY_MS, HOUR_MS } from '#contract/durations.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import { readCookie } from '#server/http/requests.ts'
import { type Identity, makeCookie } from '../visitor-cookies.ts'
import { type AnswerTable, readAnswerBy } from './answers.ts'
import {
  CONTENT_NAMES,
  type Destination,
  inCamelCase,
  type Job,
  type OutcomeJob,
  type OutgoingRequest,
  type PageJob,
  pageAddress,
  parseObject,
  type ServerCookie,
  sha256,
  type Target,
  type TestMode,
  VENDOR_TOKEN,
  type Visit,
} from './destination.ts'

/** Same format as Meta's own script. */
const FBP_COOKIE: ServerCookie = {
  name: '_fbp',
  days: 90,
  purpose: 'Identifica o navegador para medir e direcionar anúncios da Meta.',
  category: 'marketing',
}

const FBC_COOKIE: ServerCookie = {
  name: '_fbc',
  days: 90,
  purpose: 'Guarda o clique no anúncio da Meta que trouxe a pessoa ao site.',
  category: 'marketing',
}

const EVENTS: Record<ServerEventName, string> = {
  page_view: 'PageView',
  lead: 'Lead',
  contact: 'Contact',
  // Meta's `Subscribe` means a paid subscription.
  sign_up: 'CompleteRegistration',
}

/** Meta's Conversions API. It merges duplicates by `event_id`, so a second attempt is harmless. */
export const meta: Destination = {
  id: 'meta',
  name: 'Meta',
  type: 'meta',
  vendor: 'meta-pixel',
  who: 'a Meta',
  api: { url: 'https://graph.facebook.com', version: 'v26.0' },
  events: EVENTS,
  ways: ['server', 'both'],
  form: {
    account: {
      label: 'Pixel ID',
      example: '482910377165024',
      pattern: /^\d{5,20}$/,
      maxLength: 20,
      refusal: 'Para enviar pelo servidor, o Pixel ID da Meta precisa ter só números.',
    },
    secret: {
      label: 'Token de acesso',
      ...VENDOR_TOKEN,
      where: 'Gere em Gerenciador de Eventos > Configurações > API de Conversões.',
    },
    meanings: {
      browser: 'O script da Meta roda na página. Bloqueadores de anúncios podem impedir parte dos envios.',
      server: 'Sem script da Meta na página: bloqueadores de anúncios não interferem.',
      both: 'Enviamos pelos dois caminhos, e a Meta conta uma vez só.',
    },
    recommended: 'server',
  },
  clickIds: clickIdsOf('meta'),
  cookies: [FBP_COOKIE, FBC_COOKIE],
  // A container may load Meta's script.
  cookiesReadBy: ['meta', 'google_tag_manager'],
  identify,
  carries: ['address', 'agent'],
  email: { recipient: 'meta', hash: 'ordinary' },
  // Meta refuses a website's event without a user agent, and with it all others of its request.
  isUseful: ({ agent }) => agent !== null,
  // Meta drops events older than seven days, and merges with the browser's event within two.
  windowMs: (way) => (way === 'both' ? 2 * DAY_MS : 7 * DAY_MS - HOUR_MS),
  batch: 50,
  parallel: 2,
  atMostOnce: false,
  request,
  readAnswer: (answer, sent) => readAnswerBy(ANSWERS, answer, sent),
  refusalText,
  outcomes: {
    event: {
      label: 'Evento na Meta',
      hint: 'Um evento padrão, ou um nome seu com até 50 letras, números, espaços, _ ou -.',
      example: 'ContaAprovada',
      pattern: /^[A-Za-z0-9][A-Za-z0-9 _-]{0,49}$/,
      maxLength: 50,
      refusal: 'Use até 50 letras, números, espaços, _ ou -, sem acentos.',
    },
    known: ['Purchase', 'CompleteRegistration', 'Lead', 'SubmitApplication', 'StartTrial', 'Subscribe'],
    suggest: inCamelCase,
    needValue: ['Purchase'],
    // The click is the only thing by which Meta can match it.
    identify: ({ at, clickIds: { fbclid = '' } }) =>
      FBCLID.test(fbclid) ? { fbc: `fb.1.${at}.${fbclid}` } : null,
  },
  test: {
    meaning:
      'Copie em Gerenciador de Eventos > Testar eventos. Atenção: a Meta conta o teste nos relatórios.',
    code: {
      label: 'Código de teste da Meta',
      example: 'TEST48213',
      hint: 'Da aba "Testar eventos" do Gerenciador de Eventos.',
      pattern: /^[A-Za-z0-9_-]{1,64}$/,
      maxLength: 64,
      refusal:
        'Informe o código de teste (como TEST48213). Ele está em Testar eventos, no Gerenciador de Eventos da Meta.',
      missingInVisit:
        'Sem o código de teste, a Meta contaria este evento como o de um visitante. Teste novamente com o código (como TEST48213) que está em Testar eventos.',
    },
    ids: (now) => ({ fbp: `fb.1.${now}.1` }),
  },
}

/** The token is in a header, because addresses end up in logs. */
function request(
  { account, secret, siteUrl, api }: Target,
  jobs: readonly Job[],
  test?: TestMode,
): OutgoingRequest {
  return {
    url: `${api.url}/${api.version}/${account}/events`,
    headers: { authorization: `Bearer ${secret}` },
    body: {
      data: jobs.map((job) => (job.outcome === undefined ? toEvent(job, siteUrl) : toOutcome(job))),
      ...(test === undefined ? {} : { test_event_code: test.code }),
    },
  }
}

interface MetaIds {
  fbp?: string
  fbc?: string
}

/** Formats an event for the Conversions API. */
function toEvent({ event, event_id, payload }: PageJob, siteUrl: string): Record<string, unknown> {
  const content_name = CONTENT_NAMES[event]
  const { address, agent, visitor, email } = payload
  const { fbp, fbc } = payload as MetaIds
  return {
    event_name: EVENTS[event],
    event_time: Math.floor(payload.at / 1000),
    event_id,
    action_source: 'website',
    event_source_url: pageAddress(siteUrl, payload),
    user_data: {
      ...(address === null ? {} : { client_ip_address: address }),
      ...(agent === null ? {} : { client_user_agent: agent }),
      ...(fbp === undefined ? {} : { fbp }),
      ...(fbc === undefined ? {} : { fbc }),
      external_id: [sha256(visitor.toLowerCase())],
      ...(email === undefined ? {} : { em: [email] }),
    },
    ...(content_name === undefined ? {} : { custom_data: { content_name } }),
  }
}

/** No browser sent it, so it is no event of a website, which would need one. */
function toOutcome({ event_id, payload, outcome: { event, value } }: OutcomeJob): Record<string, unknown> {
  const { fbc } = payload as MetaIds
  return {
    event_name: event,
    event_time: Math.floor(payload.at / 1000),
    event_id,
    action_source: 'system_generated',
    user_data: {
      ...(fbc === undefined ? {} : { fbc }),
      ...(payload.email === undefined ? {} : { em: [payload.email] }),
    },
    ...(value === null ? {} : { custom_data: { value: Number(value.amount), currency: value.currency } }),
  }
}

const MAX_INT = 2_147_483_647

/** The fifth part is added by Meta's parameter builder. */
const FBP = /^fb\.\d\.\d{13}\.\d{1,18}(\.[\w-]{2,8})?$/

const FBC = /^fb\.\d\.\d{13}\.([\w.-]{1,300}?)(\.[\w-]{8}|\.[\w-]{2})?$/

const FBCLID = /^[\w.-]{1,300}$/

/** Meta's browser and click IDs, as its own script would make them. */
function identify(visit: Visit): Identity<{ fbp: string; fbc?: string }> {
  const { header, host, now, scriptOnPage } = visit
  const { fbclid } = visit.clickIds
  const level = Math.max(1, host.split('.').length - 1)
  const foundFbp = readCookie(header, FBP_COOKIE.name) ?? ''
  const fbp = FBP.test(foundFbp) ? foundFbp : `fb.${level}.${now}.${randomInt(MAX_INT)}`
  const foundFbc = readCookie(header, FBC_COOKIE.name) ?? ''
  const known = FBC.exec(foundFbc)
  const isNew = fbclid !== undefined && FBCLID.test(fbclid) && known?.[1] !== fbclid
  const fbc = isNew ? `fb.${level}.${now}.${fbclid}` : known === null ? undefined : foundFbc
  const keep = (cookie: ServerCookie, value: string) => makeCookie(visit, cookie, value, !scriptOnPage)
  return {
    values: { fbp, ...(fbc === undefined ? {} : { fbc }) },
    cookies: [keep(FBP_COOKIE, fbp), ...(fbc === undefined ? [] : [keep(FBC_COOKIE, fbc)])],
  }
}

const TOKEN =
  'A Meta recusou o token de acesso, e o envio parou. Gere um novo token no Gerenciador de Eventos da Meta e salve no pixel.'

const BLOCKED =
  'A Meta bloqueou a conta temporariamente, e o envio parou. Veja os avisos no Gerenciador de Negócios da Meta e, quando a conta voltar, clique em "Tentar agora".'

const NOT_PERMITTED =
  'O token de acesso não tem permissão neste pixel ou o Pixel ID está errado, e o envio parou. Confira os dois no Gerenciador de Eventos.'

const REFUSALS: Record<string, string> = {
  '100/2804003': 'O evento tem mais de 7 dias, e a Meta não aceita mais.',
  '100/2804004': 'O evento tem horário no futuro. Peça à equipe de TI para acertar o relógio.',
  '100/2804050': 'O evento não tem dados suficientes para a Meta reconhecer a pessoa.',
}

interface MetaError {
  code?: unknown
  error_subcode?: unknown
  is_transient?: unknown
}

/** By Meta's codes: the status varies, and texts are translated. */
const ANSWERS: AnswerTable = {
  who: 'a Meta',
  codesOf: ({ error }) => (isError(error) ? codesOf(error) : []),
  readSuccess: (body, status, sent) =>
    status >= 200 && status < 300 && !isError(body?.error) && body?.events_received === sent
      ? 'accepted'
      : null,
  rows: [
    { on: ['190/459', '368'], means: 'stop', code: 'account_blocked', message: BLOCKED },
    { on: ['190', '102', '104'], means: 'stop', code: 'token_refused', message: TOKEN },
    {
      on: ['3', '10', '803', /^2\d\d$/, '100/33'],
      means: 'stop',
      code: 'not_permitted',
      message: NOT_PERMITTED,
    },
    { on: ['4', '17', '32', '341', '613', /^800\d\d$/], means: 'limited' },
    { on: ['transient'], means: 'unstable' },
    { on: ['100'], means: 'refused' },
  ],
  refusalText,
  readWait,
}

function isError(error: unknown): error is MetaError {
  return error !== null && typeof error === 'object'
}

function codesOf({ code, error_subcode, is_transient }: MetaError): string[] {
  return [
    ...(error_subcode === undefined ? [] : [`${Number(code)}/${Number(error_subcode)}`]),
    String(Number(code)),
    ...(is_transient === true ? ['transient'] : []),
  ]
}

function refusalText(name: string): string {
  return REFUSALS[name] ?? `A Meta recusou o formato do evento (código ${name}). Avise a equipe de TI.`
}

/** `{"ID":[{"estimated_time_to_regain_access":MINUTES,…}]}` */
function readWait(headers: Record<string, string | string[] | undefined>): number | null {
  const usage = parseObject(String(headers['x-business-use-case-usage'] ?? ''))
  const minutes = Object.values(usage ?? {})
    .flat()
    .map((entry) =>
      Number(
        (entry as { estimated_time_to_regain_access?: unknown } | null)?.estimated_time_to_regain_access,
      ),
    )
    .filter((number) => number > 0)
  return minutes.length === 0 ? null : Math.max(...minutes) * 60_000
}
