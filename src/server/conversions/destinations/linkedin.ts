import { isIPv4 } from 'node:net'
import { clickIdsOf } from '#contract/click-ids.ts'
import { DAY_MS, HOUR_MS } from '#contract/durations.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import { type AnswerTable, readAnswerBy } from './answers.ts'
import {
  type Destination,
  type EventIds,
  firstClick,
  identifyClick,
  type Job,
  type OutgoingRequest,
  type ServerCookie,
  type Target,
  VENDOR_TOKEN,
} from './destination.ts'

/** The type of rule that fits each event: LinkedIn gets the rule's number, not a name. */
const EVENTS: Record<ServerEventName, string | null> = {
  page_view: null,
  lead: 'LEAD',
  contact: 'CONTACT',
  sign_up: 'SIGN_UP',
}

const RULE = {
  label: 'Número da regra de conversão',
  example: '104012',
  hint: 'Da regra com o método "API de Conversões", no Gerenciador de Campanhas. Só números.',
  pattern: /^\d{3,20}$/,
  maxLength: 20,
}

const CLICK_COOKIE: ServerCookie = {
  name: 'portico_linkedin',
  days: 90,
  purpose: 'Guarda o clique no anúncio do LinkedIn que trouxe a pessoa ao site.',
  category: 'marketing',
}

/**
 * LinkedIn's Conversions API. It merges the tag's event with the server's, but not two of the server's, so an event
 * whose answer was lost is not sent again.
 */
export const linkedin: Destination = {
  id: 'linkedin',
  name: 'LinkedIn',
  type: 'custom',
  vendor: 'linkedin-insight',
  who: 'o LinkedIn',
  api: { url: 'https://api.linkedin.com', version: '202608', endOf: endOfVersion },
  events: EVENTS,
  ways: ['server', 'both'],
  form: {
    secret: {
      label: 'Token de acesso',
      ...VENDOR_TOKEN,
      where: 'Gere no Gerenciador de Campanhas > Dados > Gerenciador de sinais > API direta.',
    },
    eventId: {
      ...RULE,
      refusal:
        'Para enviar pelo servidor, preencha o número de pelo menos uma regra de conversão do LinkedIn, só com números.',
    },
    meanings: {
      browser:
        'O script do LinkedIn roda na página. Bloqueadores de anúncios podem impedir parte dos envios.',
      server: 'Sem script do LinkedIn na página: bloqueadores de anúncios não interferem.',
      both: 'Enviamos pelos dois caminhos, e o LinkedIn conta uma vez só. Precisa de uma regra para a tag e outra para a API.',
    },
    recommended: 'server',
    more: 'No LinkedIn, cada conversão é uma regra. Crie uma para cada evento, com o método "API de Conversões", e associe às campanhas.',
  },
  clickIds: clickIdsOf('linkedin'),
  cookies: [CLICK_COOKIE],
  cookiesReadBy: [],
  identify: (visit) => identifyClick(visit, CLICK_COOKIE, { li_fat_id: 'li_fat_id' }),
  carries: ['address'],
  email: { recipient: 'linkedin', hash: 'ordinary' },
  windowMs: (way) => (way === 'both' ? 2 * DAY_MS : 7 * DAY_MS - HOUR_MS),
  batch: 1,
  parallel: 2,
  atMostOnce: true,
  request,
  readAnswer: (answer, sent) => readAnswerBy(ANSWERS, answer, sent),
  refusalText,
  outcomes: {
    event: { ...RULE, refusal: 'Informe o número da regra de conversão do LinkedIn, só com números.' },
    known: [],
    identify: firstClick,
    oldestMs: 90 * DAY_MS - HOUR_MS,
  },
  test: {
    meaning:
      'O LinkedIn não tem modo de teste: um teste contaria como conversão. Conferimos aqui o formato do evento, e nada é enviado.',
    ids: () => ({ li_fat_id: '00000000-0000-4000-8000-000000000000' }),
    checkHere,
  },
}

/** Versions are months. 202508 ended on 17 August 2026, and 202511 on 16 November 2026. */
function endOfVersion(version: string): number | null {
  const [, year, month] = /^(20\d\d)(0[1-9]|1[0-2])$/.exec(version) ?? []
  return year === undefined ? null : Date.UTC(Number(year) + 1, Number(month) - 1, 15)
}

/** Exactly these fields: LinkedIn refuses others. */
interface ConversionEvent {
  conversion: string
  /** Milliseconds. */
  conversionHappenedAt: number
  eventId: string
  user: { userIds: { idType: string; idValue: string }[] }
  /** An amount as a number is refused. */
  conversionValue?: { currencyCode: string; amount: string }
}

function request({ secret, api, eventIds }: Target, [job]: readonly Job[]): OutgoingRequest {
  return {
    url: `${api.url}/rest/conversionEvents`,
    headers: {
      authorization: `Bearer ${secret}`,
      'linkedin-version': api.version,
      'x-restli-protocol-version': '2.0.0',
    },
    body: toEvent(job as Job, eventIds),
  }
}

function toEvent({ event, event_id, payload, outcome }: Job, ids: EventIds): ConversionEvent {
  const { address, email } = payload
  const { li_fat_id } = payload as { li_fat_id?: string }
  return {
    conversion: `urn:lla:llaPartnerConversion:${outcome?.event ?? ids[event] ?? ''}`,
    conversionHappenedAt: payload.at,
    eventId: event_id,
    user: {
      userIds: [
        ...(li_fat_id === undefined
          ? []
          : [{ idType: 'LINKEDIN_FIRST_PARTY_ADS_TRACKING_UUID', idValue: li_fat_id }]),
        ...(email === undefined ? [] : [{ idType: 'SHA256_EMAIL', idValue: email }]),
        // LinkedIn takes an IPv6 address without an error, and ignores it.
        ...(address !== null && isIPv4(address)
          ? [{ idType: 'PLAINTEXT_IP_ADDRESS', idValue: address }]
          : []),
      ],
    },
    ...(outcome?.value
      ? { conversionValue: { currencyCode: outcome.value.currency, amount: outcome.value.amount } }
      : {}),
  }
}

/** What LinkedIn would refuse, as far as it can be known here. */
function checkHere({ headers, body }: OutgoingRequest): string | null {
  const { conversion, conversionHappenedAt, user } = body as ConversionEvent
  if (!/^urn:lla:llaPartnerConversion:\d+$/.test(conversion))
    return 'Falta o número da regra de conversão. Preencha e confira de novo.'
  if (!/^\d{6}$/.test(headers['linkedin-version'] ?? ''))
    return 'A versão da API do LinkedIn está errada. Peça à equipe de TI para conferir a variável DESTINATION_APIS.'
  const isComplete = String(conversionHappenedAt).length === 13 && user.userIds.length > 0
  return isComplete ? null : 'O evento não tem todos os campos que o LinkedIn exige. Avise a equipe de TI.'
}

const VERSION_ENDED =
  'O LinkedIn encerrou a versão da API que usamos, e o envio parou. Peça à equipe de TI para atualizar o Pórtico ou informar a nova versão em DESTINATION_APIS.'

const ANSWERS: AnswerTable = {
  who: 'o LinkedIn',
  codesOf: ({ code }) => (typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? [code] : []),
  readSuccess: (_body, status) => (status >= 200 && status < 300 ? 'accepted' : null),
  rows: [
    { on: ['HTTP 426', /VERSION/], means: 'stop', code: 'version_ended', message: VERSION_ENDED },
    {
      on: ['HTTP 401'],
      means: 'stop',
      code: 'token_refused',
      message:
        'O LinkedIn recusou o token de acesso, e o envio parou. Gere um novo token no Gerenciador de Campanhas e salve no pixel.',
    },
    {
      on: ['HTTP 403'],
      means: 'stop',
      code: 'not_permitted',
      message:
        'O LinkedIn não reconheceu a regra de conversão ou o token não tem acesso à conta dela, e o envio parou. Confira os números das regras e quem gerou o token.',
    },
    { on: ['HTTP 429'], means: 'limited' },
    { on: [/^HTTP 4/], means: 'refused', reason: 'status' },
  ],
  refusalText,
}

function refusalText(reason: string): string {
  return reason === 'HTTP 400'
    ? 'O LinkedIn recusou o horário do evento. Ele aceita até 90 dias atrás; se o evento é recente, peça à equipe de TI para acertar o relógio.'
    : `O LinkedIn recusou o formato do evento (${reason}). Avise a equipe de TI.`
}
