import { createHash, randomInt } from 'node:crypto'
import type { ServerEventName } from '#contract/server-event.ts'
import { readCookie } from '#server/http/requests.ts'
import { type Identity, makeCookie } from '../visitor-cookies.ts'
import {
  DAY_MS,
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

const GRAPH = 'https://graph.facebook.com'

/** As Meta's own script keeps them. */
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

/** Meta's Conversions API. It merges duplicates with one `event_id`, so that a second attempt is harmless. */
export const meta: Destination = {
  id: 'meta',
  name: 'Meta',
  type: 'meta',
  ways: ['server', 'both'],
  form: {
    account: {
      label: 'Pixel ID',
      example: '482910377165024',
      pattern: /^\d{5,20}$/,
      maxLength: 20,
      refusal: 'Para enviar pelo servidor, o Pixel ID da Meta precisa ter só números.',
    },
    secret: { label: 'Token de acesso', ...VENDOR_TOKEN },
  },
  clickIds: ['fbclid'],
  cookies: [FBP_COOKIE, FBC_COOKIE],
  // A container may load Meta's script.
  cookiesReadBy: ['meta', 'google_tag_manager'],
  identify,
  carries: ['address', 'agent', 'email'],
  // Meta drops what is older than seven days, and merges with the browser's copy what comes within two.
  windowMs: (way) => (way === 'both' ? 2 * DAY_MS : 7 * DAY_MS - HOUR_MS),
  batch: 50,
  parallel: 2,
  atMostOnce: false,
  request,
  readAnswer,
  refusalText,
  test: {
    meaning:
      'Está em Testar eventos, no Gerenciador de Eventos, onde o evento aparece. A Meta conta o teste como os outros.',
    code: {
      label: 'Código de teste',
      example: 'TEST48213',
      hint: 'Da aba "Testar eventos" do Gerenciador de Eventos.',
      pattern: /^[A-Za-z0-9_-]{1,64}$/,
      maxLength: 64,
      refusal: 'Informe o código de teste (TEST…) da aba "Testar eventos" do Gerenciador de Eventos.',
      missingInVisit:
        'Sem o código de teste da Meta, o evento contaria como os dos visitantes. Teste de novo com o código (TEST…) da aba "Testar eventos".',
    },
    ids: (now) => ({ fbp: `fb.1.${now}.1` }),
  },
}

/** The token travels in a header: addresses end up in logs. */
function request(
  { account, secret, siteUrl, graphVersion, sendsEmail }: Target,
  jobs: readonly Job[],
  test?: TestMode,
): OutgoingRequest {
  return {
    url: `${GRAPH}/${graphVersion}/${account}/events`,
    headers: { authorization: `Bearer ${secret}` },
    body: {
      data: jobs.map((job) => toEvent(job, siteUrl, sendsEmail)),
      ...(test === undefined ? {} : { test_event_code: test.code }),
    },
  }
}

const NAMES: Record<ServerEventName, { event_name: string; content_name?: string }> = {
  page_view: { event_name: 'PageView' },
  lead: { event_name: 'Lead', content_name: 'abrir_conta' },
  contact: { event_name: 'Contact', content_name: 'whatsapp' },
  // Meta's `Subscribe` is one that is paid for.
  sign_up: { event_name: 'CompleteRegistration', content_name: 'newsletter' },
}

interface MetaIds {
  fbp?: string
  fbc?: string
}

/** An event as the Conversions API takes it. */
function toEvent(
  { event, event_id, payload }: Job,
  siteUrl: string,
  sendsEmail: boolean,
): Record<string, unknown> {
  const { event_name, content_name } = NAMES[event]
  const { address, agent, visitor, email } = payload
  const { fbp, fbc } = payload as MetaIds
  return {
    event_name,
    event_time: Math.floor(payload.at / 1000),
    event_id,
    action_source: 'website',
    event_source_url: pageAddress(siteUrl, payload),
    user_data: {
      ...(address === null ? {} : { client_ip_address: address }),
      ...(agent === null ? {} : { client_user_agent: agent }),
      ...(fbp === undefined ? {} : { fbp }),
      ...(fbc === undefined ? {} : { fbc }),
      external_id: [createHash('sha256').update(visitor.toLowerCase()).digest('hex')],
      ...(email === undefined || !sendsEmail ? {} : { em: [email] }),
    },
    ...(content_name === undefined ? {} : { custom_data: { content_name } }),
  }
}

const MAX_INT = 2_147_483_647

/** The fifth part is what Meta's builder appends. */
const FBP = /^fb\.\d\.\d{13}\.\d{1,18}(\.[\w-]{2,8})?$/

const FBC = /^fb\.\d\.\d{13}\.([\w.-]{1,300}?)(\.[\w-]{8}|\.[\w-]{2})?$/

const CLICK_ID = /^[\w.-]{1,300}$/

/** Meta's browser and click IDs, as its own script would make them. */
function identify(visit: Visit): Identity<{ fbp: string; fbc?: string }> {
  const { header, host, now, scriptOnPage } = visit
  const { fbclid } = visit.clickIds
  const level = Math.max(1, host.split('.').length - 1)
  const foundFbp = readCookie(header, FBP_COOKIE.name) ?? ''
  const fbp = FBP.test(foundFbp) ? foundFbp : `fb.${level}.${now}.${randomInt(MAX_INT)}`
  const foundFbc = readCookie(header, FBC_COOKIE.name) ?? ''
  const known = FBC.exec(foundFbc)
  const isNew = fbclid !== undefined && CLICK_ID.test(fbclid) && known?.[1] !== fbclid
  const fbc = isNew ? `fb.${level}.${now}.${fbclid}` : known === null ? undefined : foundFbc
  const keep = (cookie: ServerCookie, value: string) => makeCookie(visit, cookie, value, !scriptOnPage)
  return {
    values: { fbp, ...(fbc === undefined ? {} : { fbc }) },
    cookies: [keep(FBP_COOKIE, fbp), ...(fbc === undefined ? [] : [keep(FBC_COOKIE, fbc)])],
  }
}

const TOKEN =
  'A Meta recusou o token. O envio está parado. Gere um novo token no Gerenciador de Eventos e salve no pixel.'

const BLOCKED = 'A Meta bloqueou a conta por um tempo. Veja os avisos da Meta.'

const NOT_PERMITTED = 'O token não tem permissão para este Pixel, ou o ID do Pixel está errado.'

const LIMITED = 'A Meta limitou o envio. Tentaremos de novo.'

const UNSTABLE = 'Meta instável. Tentaremos de novo.'

/** Nothing was written: what is wrong may be on our side, and nobody has seen Meta falter. */
const UNREACHED = 'Não foi possível falar com a Meta. Tentaremos de novo.'

const REFUSALS: Record<string, string> = {
  '100/2804003': 'Evento com mais de 7 dias: a Meta não aceita.',
  '100/2804004': 'Evento com hora no futuro. Confira o relógio do servidor.',
  '100/2804050': 'Evento sem dados suficientes para a Meta.',
}

interface MetaError {
  code?: unknown
  error_subcode?: unknown
  is_transient?: unknown
}

/** What Meta said of a request with so many events. Its codes decide: the status varies, and its texts are translated. */
function readAnswer(answer: ReceivedAnswer, sent: number): Verdict {
  if (answer.kind === 'failed')
    return {
      kind: 'retry',
      afterMs: null,
      answer: answer.code,
      message: answer.written ? UNSTABLE : UNREACHED,
    }
  const { status, body } = answer
  const parsed = parse(body)
  const error = parsed?.error as MetaError | undefined
  if (error === undefined || error === null || typeof error !== 'object') {
    const isTaken = status >= 200 && status < 300 && parsed?.events_received === sent
    return isTaken
      ? {
          kind: 'settled',
          state: 'accepted',
          reason: '',
          answer: `HTTP ${status}`,
          message: 'A Meta aceitou o evento.',
        }
      : { kind: 'retry', afterMs: null, answer: `HTTP ${status}`, message: UNSTABLE }
  }
  const code = Number(error.code)
  const subcode = error.error_subcode === undefined ? null : Number(error.error_subcode)
  const name = subcode === null ? String(code) : `${code}/${subcode}`
  const said = `HTTP ${status} · ${name}`
  if ((code === 190 && subcode === 459) || code === 368)
    return { kind: 'stop', code: 'account_blocked', answer: said, message: BLOCKED }
  if ([190, 102, 104].includes(code))
    return { kind: 'stop', code: 'token_refused', answer: said, message: TOKEN }
  if (code === 3 || code === 10 || code === 803 || (code >= 200 && code <= 299) || name === '100/33')
    return { kind: 'stop', code: 'not_permitted', answer: said, message: NOT_PERMITTED }
  if (code === 100 && error.is_transient !== true) return refusal(name, said, sent)
  if ([4, 17, 32, 341, 613].includes(code) || (code >= 80_000 && code <= 80_099))
    return { kind: 'retry', afterMs: readWait(answer.headers), answer: said, message: LIMITED }
  return { kind: 'retry', afterMs: null, answer: said, message: UNSTABLE }
}

function refusalText(name: string): string {
  return REFUSALS[name] ?? `A Meta recusou o formato do evento (código ${name}).`
}

/** One bad event refuses all of its request. */
function refusal(name: string, said: string, sent: number): Verdict {
  const message = refusalText(name)
  if (sent > 1) return { kind: 'split', reason: name, answer: said, message }
  return { kind: 'settled', state: 'refused', reason: name, answer: said, message }
}

function parse(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body)
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** `{"ID":[{"estimated_time_to_regain_access":MINUTES,…}]}` */
function readWait(headers: Record<string, string | string[] | undefined>): number | null {
  const usage = parse(String(headers['x-business-use-case-usage'] ?? ''))
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
