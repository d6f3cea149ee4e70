import { createHash } from 'node:crypto'
import type { ServerEventName } from '#contract/server-event.ts'
import type { Answer } from '#server/http/outgoing.ts'
import {
  type Channel,
  type Job,
  pageAddress,
  type Request,
  type Target,
  type Verdict,
} from './destination.ts'

const GRAPH = 'https://graph.facebook.com'

/** Meta's Conversions API. Its own merging of copies with one `event_id` makes a second try harmless. */
export const metaChannel: Channel = {
  batch: 50,
  parallel: 2,
  atMostOnce: false,
  async send(client, target, jobs, signal) {
    const { url, headers, body } = composeMetaRequest(target, jobs)
    const answer = await client.post(url, headers, JSON.stringify(body), signal)
    return answer.kind === 'interrupted' ? { kind: 'interrupted' } : readMetaAnswer(answer, jobs.length)
  },
}

/** The token travels in a header: addresses end up in logs. */
export function composeMetaRequest(
  { account, secret, siteUrl, graphVersion, sendsEmail }: Target,
  jobs: readonly Job[],
  testCode?: string,
): Request {
  return {
    url: `${GRAPH}/${graphVersion}/${account}/events`,
    headers: { authorization: `Bearer ${secret}` },
    body: {
      data: jobs.map((job) => composeMetaEvent(job, siteUrl, sendsEmail)),
      ...(testCode === undefined ? {} : { test_event_code: testCode }),
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

/** An event as the Conversions API takes it. */
function composeMetaEvent(
  { event, event_id, payload }: Job,
  siteUrl: string,
  sendsEmail: boolean,
): Record<string, unknown> {
  const { event_name, content_name } = NAMES[event]
  const { address, agent, fbp, fbc, visitor, email } = payload
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
export function readMetaAnswer(answer: Exclude<Answer, { kind: 'interrupted' }>, sent: number): Verdict {
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

export function describeMetaRefusal(name: string): string {
  return REFUSALS[name] ?? `A Meta recusou o formato do evento (código ${name}).`
}

/** One bad event refuses all of its request. */
function refusal(name: string, said: string, sent: number): Verdict {
  const message = describeMetaRefusal(name)
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
