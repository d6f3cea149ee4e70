import { createPrivateKey, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#contract/durations.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import { type AnswerTable, readAnswerBy } from './answers.ts'
import {
  type Confirmation,
  type Destination,
  type EventPayload,
  type EventVerdict,
  firstClick,
  identifyClick,
  type Job,
  type OutgoingRequest,
  parseObject,
  type ReceivedAnswer,
  type ServerCookie,
  type Target,
  type TestMode,
  type TokenExchange,
} from './destination.ts'

/** The category of conversion action that fits each event: Google gets the action's number, not a name. */
const EVENTS: Record<ServerEventName, string | null> = {
  page_view: null,
  lead: 'SUBMIT_LEAD_FORM',
  contact: 'CONTACT',
  sign_up: 'SIGNUP',
}

const ACTION = {
  label: 'Número da ação de conversão',
  example: '987654321',
  hint: 'De uma ação do tipo importação de cliques. Está no endereço da página da ação (ctId).',
  pattern: /^\d{3,20}$/,
  maxLength: 20,
}

const CLICK_COOKIE: ServerCookie = {
  name: 'portico_google_ads',
  days: 90,
  purpose: 'Guarda o clique no anúncio do Google que trouxe a pessoa ao site.',
  category: 'marketing',
}

const CLICK_IDS = ['gclid', 'gbraid', 'wbraid'] as const

const LATER =
  'O Google recebeu o evento. Se o clique corresponder a um anúncio, a conversão aparece no Google Ads em até um dia.'

/**
 * Google Ads by the Data Manager API, as an offline import: it works without a script of Google. Duplicates are
 * recognised by `transactionId`. An answer says that the event arrived; matching follows within a day.
 */
export const googleAds: Destination = {
  id: 'google_ads',
  name: 'Google Ads',
  type: 'custom',
  vendor: 'google-ads',
  who: 'o Google',
  api: { url: 'https://datamanager.googleapis.com', version: 'v1' },
  events: EVENTS,
  ways: ['server'],
  form: {
    account: {
      label: 'Número da conta do Google Ads',
      example: '123-456-7890',
      hint: 'Dez números. Está no alto da tela do Google Ads.',
      pattern: /^\d{3}-?\d{3}-?\d{4}$/,
      maxLength: 12,
      refusal: 'Para enviar pelo servidor, informe os dez números da conta do Google Ads, como 123-456-7890.',
    },
    secret: {
      label: 'Chave da conta de serviço (JSON)',
      pattern: /^\{[\s\S]*\}$/,
      maxLength: 8_000,
      accepts: (text) => readKey(text) !== null,
      refusal: 'cole todo o conteúdo do arquivo .json da conta de serviço, de { até }.',
      where:
        'Crie a conta de serviço e a chave no Google Cloud, ative a Data Manager API e dê acesso ao e-mail dela em Google Ads > Administrador > Acesso e segurança.',
    },
    eventId: {
      ...ACTION,
      refusal:
        'Para enviar pelo servidor, preencha o número de pelo menos uma ação de conversão do Google Ads, só com números.',
    },
    meanings: {
      browser: 'O script do Google roda na página. Bloqueadores de anúncios podem impedir parte dos envios.',
      server:
        'Vai direto ao Google, só de quem chegou por um anúncio dele ou, com a opção de e-mail, se inscreveu na newsletter.',
    },
    more: 'Use uma ação de conversão própria para a importação e deixe só ela como principal na meta. Se a tag da página contar na mesma meta, o Google conta em dobro.',
  },
  clickIds: CLICK_IDS,
  cookies: [CLICK_COOKIE],
  cookiesReadBy: [],
  identify: (visit) => identifyClick(visit, CLICK_COOKIE),
  carries: [],
  // With a hashed address Google takes events of 63 days only, without one of 90.
  email: { recipient: 'google_ads', hash: 'google', oldestMs: 63 * DAY_MS - HOUR_MS },
  isUseful: (payload) => payload.email !== undefined || Object.keys(clickOf(payload)).length > 0,
  // Google accepts 90 days; a click ID should not wait in the queue that long.
  windowMs: () => 7 * DAY_MS - HOUR_MS,
  batch: 1,
  parallel: 4,
  atMostOnce: false,
  exchange: exchangeToken(),
  request,
  readAnswer: (answer, sent) => readAnswerBy(ANSWERS, answer, sent),
  confirmation: {
    // Google has no result earlier, and most within a day.
    firstMs: 30 * MINUTE_MS,
    lastMs: 3 * DAY_MS,
    idOf: readRequestId,
    request: ({ api, secret }, id) => ({
      url: `${api.url}/${api.version}/requestStatus:retrieve?requestId=${encodeURIComponent(id)}`,
      headers: { authorization: `Bearer ${secret}` },
    }),
    read: (answer, sent) => readStatus(answer, sent) ?? readAnswerBy(ANSWERS, answer, 1),
  },
  refusalText,
  outcomes: {
    event: { ...ACTION, refusal: 'Informe o número da ação de conversão do Google Ads, só com números.' },
    known: [],
    identify: firstClick,
    oldestMs: 90 * DAY_MS - HOUR_MS,
  },
  unconfirmed: { attempt: LATER, health: LATER },
  test: {
    meaning: 'O Google confere um evento de teste e não registra nada.',
    ids: () => ({ gclid: 'Cj0KCQ-teste' }),
    read: readTestAnswer,
  },
}

/** If there are several kinds, `identifyClick` has chosen the newest. */
function clickOf(payload: EventPayload): Record<string, unknown> {
  return Object.fromEntries(
    CLICK_IDS.filter((name) => typeof payload[name] === 'string').map((name) => [name, payload[name]]),
  )
}

function request(
  { account, secret, api, eventIds }: Target,
  [job]: readonly Job[],
  test?: TestMode,
): OutgoingRequest {
  const { event, event_id, payload, outcome } = job as Job
  const { email } = payload
  const click = clickOf(payload)
  const consent = payload.marketing ? 'CONSENT_GRANTED' : 'CONSENT_DENIED'
  return {
    url: `${api.url}/${api.version}/events:ingest`,
    headers: { authorization: `Bearer ${secret}` },
    body: {
      destinations: [
        {
          operatingAccount: { accountType: 'GOOGLE_ADS', accountId: account.replaceAll('-', '') },
          productDestinationId: outcome?.event ?? eventIds[event],
        },
      ],
      ...(email === undefined ? {} : { encoding: 'HEX' }),
      consent: { adUserData: consent, adPersonalization: consent },
      events: [
        {
          eventTimestamp: new Date(payload.at).toISOString(),
          eventSource: 'WEB',
          transactionId: event_id,
          ...(Object.keys(click).length === 0 ? {} : { adIdentifiers: click }),
          ...(email === undefined ? {} : { userData: { userIdentifiers: [{ emailAddress: email }] } }),
          ...(outcome?.value
            ? { conversionValue: Number(outcome.value.amount), currency: outcome.value.currency }
            : {}),
        },
      ],
      ...(test === undefined ? {} : { validateOnly: true }),
    },
  }
}

/** Never the `token_uri` of the pasted file: it could be any address. */
const TOKEN_URL = 'https://oauth2.googleapis.com/token'

const SCOPE = 'https://www.googleapis.com/auth/datamanager'

interface ServiceAccountKey {
  email: string
  key: KeyObject
}

/** Null unless the file is whole: a cut key is refused in the form, not when the first event is sent. */
function readKey(text: string): ServiceAccountKey | null {
  const { client_email, private_key } = parseObject(text) ?? {}
  if (typeof client_email !== 'string' || typeof private_key !== 'string') return null
  try {
    const key = createPrivateKey(private_key)
    return key.asymmetricKeyType === 'rsa' ? { email: client_email, key } : null
  } catch {
    return null
  }
}

const KEY_REFUSED =
  'O Google recusou a chave da conta de serviço, e o envio parou. Crie uma nova chave no Google Cloud e salve no pixel. Se a chave é nova, peça à equipe de TI para acertar o relógio.'

function exchangeToken(): TokenExchange {
  return {
    async request(secret, now) {
      const { email, key } = readKey(secret) as ServiceAccountKey
      const seconds = Math.floor(now / 1000)
      const assertion = await new SignJWT({ scope: SCOPE })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
        .setIssuer(email)
        .setAudience(TOKEN_URL)
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + 3600)
        .sign(key)
      return {
        url: TOKEN_URL,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          assertion,
        }).toString(),
      }
    },
    read(answer) {
      const body = answer.kind === 'answer' && answer.status === 200 ? parseObject(answer.body) : null
      return typeof body?.access_token === 'string'
        ? { token: body.access_token, lastsMs: Number(body.expires_in ?? 0) * 1000 }
        : (readAnswerBy(TOKEN_ANSWERS, answer, 1) as EventVerdict)
    },
  }
}

const TOKEN_ANSWERS: AnswerTable = {
  who: 'o Google',
  codesOf: ({ error }) => (typeof error === 'string' && /^[a-z_]{3,40}$/.test(error) ? [error] : []),
  rows: [
    { on: ['HTTP 429'], means: 'unstable' },
    { on: [/^HTTP 4/], means: 'stop', code: 'token_refused', message: KEY_REFUSED },
  ],
  refusalText,
}

const NO_ACCESS = [
  'PERMISSION_DENIED',
  'NOT_FOUND',
  'INVALID_DESTINATION',
  'DESTINATION_ACCOUNT_TYPE_MISMATCH',
  'OPERATING_ACCOUNT_LOGIN_ACCOUNT_MISMATCH',
  'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  'SERVICE_DISABLED',
  'NOT_ALLOWLISTED',
]

const WRONG_ACTION = [
  'INVALID_CONVERSION_ACTION_ID',
  'INVALID_CONVERSION_ACTION_TYPE',
  'EVENT_SOURCE_AND_DESTINATION_MISMATCH',
]

/** The customer has not accepted Google's terms for customer data, or may not. */
const NO_CUSTOMER_DATA = /^DESTINATION_ACCOUNT_(?:ENHANCED_CONVERSIONS_|NOT_ENABLED_|DATA_POLICY_PROHIBITS_)/

const TRANSIENT = ['INTERNAL_ERROR', 'INTERNAL', 'DEADLINE_EXCEEDED', 'UNAVAILABLE', 'ABORTED']

/** The reasons of an error, most specific first. */
function reasonsOf(body: Record<string, unknown>): string[] {
  const error = body.error as { status?: unknown; details?: unknown } | undefined
  const details = Array.isArray(error?.details) ? (error.details as Record<string, unknown>[]) : []
  const violations = details.flatMap(({ fieldViolations }) =>
    Array.isArray(fieldViolations) ? (fieldViolations as { reason?: unknown }[]) : [],
  )
  return [...violations, ...details]
    .map(({ reason }) => reason)
    .concat(error?.status)
    .filter((reason): reason is string => typeof reason === 'string' && /^[A-Z0-9_]{3,80}$/.test(reason))
}

const ANSWERS: AnswerTable = {
  who: 'o Google',
  codesOf: reasonsOf,
  readSuccess: (_body, status) =>
    status >= 200 && status < 300
      ? { kind: 'settled', state: 'unconfirmed', reason: '', answer: `HTTP ${status}`, message: LATER }
      : null,
  rows: [
    {
      on: WRONG_ACTION,
      means: 'stop',
      code: 'not_permitted',
      message:
        'O Google não aceitou a ação de conversão, e o envio parou. Confira o número e o tipo da ação: ela precisa ser de importação de cliques.',
    },
    { on: [NO_CUSTOMER_DATA], means: 'without_email' },
    { on: ['HTTP 401', 'UNAUTHENTICATED'], means: 'stop', code: 'token_refused', message: KEY_REFUSED },
    {
      on: NO_ACCESS,
      means: 'stop',
      code: 'not_permitted',
      message:
        'A conta de serviço não tem acesso a esta conta do Google Ads, e o envio parou. Confira o número da conta, o acesso dela em Acesso e segurança e se a Data Manager API está ativa no Google Cloud.',
    },
    {
      on: ['CONVERSION_ACTION_TOO_RECENTLY_CREATED'],
      means: 'retry',
      afterMs: 6 * HOUR_MS,
      message: 'A ação de conversão é nova, e o Google ainda não a aceita. Tentamos de novo em 6 horas.',
    },
    { on: ['HTTP 429', 'RESOURCE_EXHAUSTED'], means: 'limited' },
    { on: [/^HTTP 5/, 'HTTP 408', ...TRANSIENT], means: 'unstable' },
    { on: [/^HTTP/], means: 'refused' },
  ],
  refusalText,
}

function readRequestId(answer: ReceivedAnswer): string | null {
  const id = answer.kind === 'answer' ? parseObject(answer.body)?.requestId : null
  return typeof id === 'string' && /^[\w.:/+=-]{1,200}$/.test(id) ? id : null
}

/** Google already has the conversion. */
const DUPLICATES = [
  'PROCESSING_ERROR_REASON_DUPLICATE_GCLID',
  'PROCESSING_ERROR_REASON_DUPLICATE_TRANSACTION_ID',
]

/**
 * The counts of a request's one destination; null without a result. An event with several errors counts once. Google
 * may leave the errors out: `FAILED` then means all events, and `PARTIAL_SUCCESS` an unknown number.
 */
function readStatus(answer: ReceivedAnswer, sent: number): ReturnType<Confirmation['read']> | null {
  const body = answer.kind === 'answer' && answer.status === 200 ? parseObject(answer.body) : null
  const list = body?.requestStatusPerDestination
  const { requestStatus, errorInfo } = ((Array.isArray(list) ? list[0] : null) ?? {}) as {
    requestStatus?: unknown
    errorInfo?: { errorCounts?: unknown }
  }
  const errors = readErrors(errorInfo?.errorCounts)
  if (requestStatus === 'PARTIAL_SUCCESS' ? errors.length === 0 : !isWhole(requestStatus)) return null
  const [duplicates, refusals] = [true, false].map((isDuplicate) =>
    errors.filter(({ reason }) => DUPLICATES.includes(reason) === isDuplicate),
  ) as [typeof errors, typeof errors]
  let left = sent
  const take = (count: number) => {
    const taken = Math.min(left, count)
    left -= taken
    return taken
  }
  const refused = refusals.map(({ reason, count }) => ({ reason, count: take(count) }))
  const known = duplicates.reduce((sum, { count }) => sum + take(count), 0)
  if (requestStatus === 'FAILED') refused.push({ reason: 'FAILED', count: take(left) })
  return { kind: 'judged', confirmed: left + known, refused: refused.filter(({ count }) => count > 0) }
}

function isWhole(requestStatus: unknown): boolean {
  return requestStatus === 'SUCCESS' || requestStatus === 'FAILED'
}

/** A 64-bit number is text in Google's JSON. */
function readErrors(list: unknown): { reason: string; count: number }[] {
  const errors = (Array.isArray(list) ? list : []) as ({ reason?: unknown; recordCount?: unknown } | null)[]
  return errors
    .map((error) => ({ reason: String(error?.reason), count: Number(error?.recordCount) }))
    .filter(({ reason, count }) => /^[A-Z0-9_]{3,120}$/.test(reason) && Number.isInteger(count) && count > 0)
}

const OTHER_ACCOUNT = 'O clique é de um anúncio de outra conta do Google Ads.'
const CONSENT_MISSING =
  'O Google recusou o evento por falta de consentimento para publicidade. Confira a configuração de consentimento da conta do Google Ads.'
const UNKNOWN_CLICK = 'O Google não reconheceu o código do clique no anúncio.'

const REFUSALS: Record<string, string> = {
  EVENT_TIME_INVALID: 'O Google recusou o horário do evento. Peça à equipe de TI para acertar o relógio.',
  NO_IDENTIFIERS_PROVIDED: 'O evento não tem o clique em um anúncio do Google.',
  INVALID_AD_IDENTIFIER_FOR_ACCOUNT: OTHER_ACCOUNT,
}

const NO_TERMS =
  'O Google não aceita e-mail em hash nesta conta. Aceite os termos de dados do cliente no Google Ads ou desligue o envio do e-mail no pixel.'

/** Of events that Google had accepted first, without the beginning that all have. */
const LATER_REFUSALS: Record<string, string> = {
  EVENT_TOO_OLD: 'A conversão aconteceu há mais tempo do que o Google aceita.',
  DENIED_CONSENT: CONSENT_MISSING,
  NO_CONSENT: CONSENT_MISSING,
  UNKNOWN_CONSENT: CONSENT_MISSING,
  INVALID_GCLID: UNKNOWN_CLICK,
  INVALID_GBRAID: UNKNOWN_CLICK,
  INVALID_WBRAID: UNKNOWN_CLICK,
  INVALID_CLICK: UNKNOWN_CLICK,
  CLICK_NOT_FOUND: 'O Google não encontrou o clique no anúncio.',
  CONVERSION_PRECEDES_CLICK: 'O horário da conversão é anterior ao do clique no anúncio.',
  TOO_RECENT_CLICK: 'O clique no anúncio era muito recente, e o Google ainda não o conhecia.',
  OPERATING_ACCOUNT_MISMATCH_FOR_AD_IDENTIFIER: OTHER_ACCOUNT,
  ONE_PER_CLICK_CONVERSION_ACTION_NOT_PERMITTED_WITH_BRAID:
    'A ação de conversão conta uma conversão por clique, e o Google não aceita este tipo de clique nela. Mude a contagem da ação no Google Ads.',
  INTERNAL_ERROR: 'O Google recebeu o evento e teve um erro interno ao processar.',
}

const LATER_REASON = /^PROCESSING_ERROR_(?:REASON_)?/

function refusalText(reason: string): string {
  if (reason === 'FAILED')
    return 'O Google recebeu o evento, não conseguiu processar e não informou o motivo.'
  if (LATER_REASON.test(reason))
    return (
      LATER_REFUSALS[reason.replace(LATER_REASON, '')] ??
      `O Google recebeu o evento e depois o recusou (${reason}). Avise a equipe de TI.`
    )
  if (NO_CUSTOMER_DATA.test(reason)) return NO_TERMS
  return REFUSALS[reason] ?? `O Google recusou o formato do evento (${reason}). Avise a equipe de TI.`
}

function readTestAnswer(answer: ReceivedAnswer): ReturnType<NonNullable<Destination['test']['read']>> {
  if (answer.kind === 'answer' && answer.status === 200)
    return {
      state: 'accepted',
      message: 'O Google conferiu a conta, a ação de conversão e o formato do evento. Nada foi registrado.',
    }
  return null
}
