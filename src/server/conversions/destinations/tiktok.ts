import { clickIdsOf } from '#contract/click-ids.ts'
import { DAY_MS, HOUR_MS } from '#contract/durations.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import { readCookie } from '#server/http/requests.ts'
import type { Identity } from '../visitor-cookies.ts'
import { type AnswerTable, readAnswerBy } from './answers.ts'
import {
  CONTENT_NAMES,
  type Destination,
  type EventPayload,
  firstClick,
  identifyClick,
  inCamelCase,
  type Job,
  type OutcomeJob,
  type OutgoingRequest,
  type PageJob,
  pageAddress,
  type ServerCookie,
  sha256,
  type Target,
  type TestMode,
  VENDOR_TOKEN,
  type Verdict,
  type Visit,
} from './destination.ts'

const EVENTS: Record<ServerEventName, string> = {
  page_view: 'Pageview',
  lead: 'Lead',
  contact: 'Contact',
  sign_up: 'CompleteRegistration',
}

const CLICK_COOKIE: ServerCookie = {
  name: 'portico_tiktok',
  days: 90,
  purpose: 'Guarda o clique no anúncio do TikTok que trouxe a pessoa ao site.',
  category: 'marketing',
}

/** TikTok's Events API 2.0. It merges duplicates by name and ID for 48 hours. */
export const tiktok: Destination = {
  id: 'tiktok',
  name: 'TikTok',
  type: 'custom',
  vendor: 'tiktok-pixel',
  who: 'o TikTok',
  api: { url: 'https://business-api.tiktok.com', version: 'v1.3' },
  events: EVENTS,
  ways: ['server', 'both'],
  form: {
    account: {
      label: 'ID do pixel do TikTok',
      example: 'C1ABCDEF2GHIJKLMNOP0',
      hint: 'Letras maiúsculas e números. Está no Gerenciador de Eventos do TikTok, abaixo do nome do pixel.',
      pattern: /^[A-Z0-9]{10,30}$/,
      maxLength: 30,
      refusal:
        'Para enviar pelo servidor, informe o ID do pixel do TikTok, como C1ABCDEF2GHIJKLMNOP0: só letras maiúsculas e números.',
    },
    secret: {
      label: 'Token de acesso',
      ...VENDOR_TOKEN,
      where: 'Gere no Gerenciador de Eventos do TikTok: abra o pixel > Configurações > API de Eventos.',
    },
    meanings: {
      browser: 'O script do TikTok roda na página. Bloqueadores de anúncios podem impedir parte dos envios.',
      server: 'Sem script do TikTok na página: bloqueadores de anúncios não interferem.',
      both: 'Enviamos pelos dois caminhos, e o TikTok conta uma vez só.',
    },
    recommended: 'server',
  },
  clickIds: clickIdsOf('tiktok'),
  cookies: [CLICK_COOKIE],
  cookiesReadBy: [],
  identify,
  carries: ['address', 'agent'],
  email: { recipient: 'tiktok', hash: 'ordinary' },
  // Events beside the page's are merged for 48 hours; others are accepted for seven days.
  windowMs: (way) => (way === 'both' ? 2 * DAY_MS : 7 * DAY_MS - HOUR_MS),
  batch: 50,
  parallel: 2,
  atMostOnce: false,
  request,
  readAnswer: (answer, sent) => readAnswerBy(ANSWERS, answer, sent),
  refusalText,
  outcomes: {
    event: {
      label: 'Evento no TikTok',
      hint: 'Um evento padrão, ou um nome seu com até 50 letras, números, _ ou -.',
      example: 'ContaAprovada',
      pattern: /^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/,
      maxLength: 50,
      refusal: 'Use até 50 letras, números, _ ou -, sem espaços nem acentos.',
    },
    known: [
      'Purchase',
      'CompleteRegistration',
      'ApplicationApproval',
      'SubmitApplication',
      'Lead',
      'Subscribe',
    ],
    suggest: inCamelCase,
    identify: firstClick,
  },
  test: {
    meaning:
      'Copie em Gerenciador de Eventos > Testar eventos. Atenção: o TikTok pode contar o teste nos relatórios.',
    code: {
      label: 'Código de teste do TikTok',
      example: 'TEST90417',
      hint: 'Da aba "Testar eventos" da página do pixel.',
      pattern: /^[A-Za-z0-9_-]{1,64}$/,
      maxLength: 64,
      refusal:
        'Informe o código de teste (como TEST90417). Ele está em Testar eventos, no Gerenciador de Eventos do TikTok.',
      missingInVisit:
        'Sem o código de teste, o TikTok contaria este evento como o de um visitante. Teste novamente com o código (como TEST90417) que está em Testar eventos.',
    },
    ids: () => ({}),
  },
}

/** `_ttp` is the browser's ID of TikTok's own script. Where that never ran, none is invented. */
function identify(visit: Visit): Identity<Record<string, string>> {
  const { values, cookies } = identifyClick(visit, CLICK_COOKIE, { ttclid: 'ttclid' })
  const ttp = readCookie(visit.header, '_ttp') ?? ''
  return { values: { ...values, ...(/^[\w-]{10,100}$/.test(ttp) ? { ttp } : {}) }, cookies }
}

/** The header has no `Bearer`, and the path ends with a slash. */
function request(
  { account, secret, siteUrl, api }: Target,
  jobs: readonly Job[],
  test?: TestMode,
): OutgoingRequest {
  return {
    url: `${api.url}/open_api/${api.version}/event/track/`,
    headers: { 'access-token': secret },
    body: {
      event_source: 'web',
      event_source_id: account,
      ...(test === undefined ? {} : { test_event_code: test.code }),
      data: jobs.map((job) => (job.outcome === undefined ? toEvent(job, siteUrl) : toOutcome(job))),
    },
  }
}

function toOutcome({ event_id, payload, outcome: { event, value } }: OutcomeJob): Record<string, unknown> {
  const { ttclid, email } = payload as EventPayload & { ttclid?: string }
  return {
    event,
    event_time: Math.floor(payload.at / 1000),
    event_id,
    user: {
      ...(ttclid === undefined ? {} : { ttclid }),
      ...(email === undefined ? {} : { email }),
    },
    ...(value === null ? {} : { properties: { value: Number(value.amount), currency: value.currency } }),
  }
}

function toEvent({ event, event_id, payload }: PageJob, siteUrl: string): Record<string, unknown> {
  const { address, agent, visitor, email } = payload
  const { ttclid, ttp } = payload as { ttclid?: string; ttp?: string }
  const description = CONTENT_NAMES[event]
  return {
    event: EVENTS[event],
    event_time: Math.floor(payload.at / 1000),
    event_id,
    user: {
      ...(ttclid === undefined ? {} : { ttclid }),
      ...(ttp === undefined ? {} : { ttp }),
      ...(address === null ? {} : { ip: address }),
      ...(agent === null ? {} : { user_agent: agent }),
      external_id: sha256(visitor.toLowerCase()),
      ...(email === undefined ? {} : { email }),
    },
    page: { url: pageAddress(siteUrl, payload) },
    ...(description === undefined ? {} : { properties: { description } }),
  }
}

const REFUSALS: Record<string, string> = {
  '40062': 'O TikTok recusou o evento: um dado pessoal não estava protegido por hash. Avise a equipe de TI.',
}

/** Only the code counts: status 200 may carry an error. */
const ANSWERS: AnswerTable = {
  who: 'o TikTok',
  codesOf: ({ code }) => (typeof code === 'number' ? [String(code)] : []),
  readSuccess: (body, status, sent) =>
    body?.code === 0 ? 'accepted' : body?.code === 20_001 ? readPartial(status, sent) : null,
  rows: [
    {
      on: ['40001'],
      means: 'stop',
      code: 'not_permitted',
      message:
        'O token de acesso não tem permissão neste pixel ou o ID do pixel está errado, e o envio parou. Confira os dois no Gerenciador de Eventos do TikTok.',
    },
    {
      on: ['40102', '40104', '40105', '40113', '40117'],
      means: 'stop',
      code: 'token_refused',
      message:
        'O TikTok recusou o token de acesso, e o envio parou. Gere um novo token no Gerenciador de Eventos do TikTok e salve no pixel.',
    },
    {
      on: ['40006', '40051', '41001'],
      means: 'stop',
      code: 'version_ended',
      message:
        'O TikTok encerrou a versão da API que usamos, e o envio parou. Peça à equipe de TI para atualizar o Pórtico.',
    },
    { on: ['40100', '40132', '61000'], means: 'limited' },
    { on: [/^4\d{4}$/], means: 'refused' },
  ],
  refusalText,
}

/** Some of the events were taken. Sent again one by one they are merged. */
function readPartial(status: number, sent: number): Verdict {
  const answer = `HTTP ${status} · 20001`
  return sent > 1
    ? { kind: 'split', reason: '20001', answer, message: refusalText('20001') }
    : {
        kind: 'settled',
        state: 'unconfirmed',
        reason: '',
        answer,
        message: 'O TikTok aceitou o evento em parte e não disse o que faltou.',
      }
}

function refusalText(reason: string): string {
  return REFUSALS[reason] ?? `O TikTok recusou o formato do evento (código ${reason}). Avise a equipe de TI.`
}
