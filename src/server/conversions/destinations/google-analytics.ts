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

const COLLECT = 'https://www.google-analytics.com/mp/collect'
const DEBUG = 'https://www.google-analytics.com/debug/mp/collect'

export const GOOGLE_NEVER_TELLS =
  'O Google não avisa erros. Se os eventos não aparecem no Tempo real em 10 minutos, confira o ID (G-...) e a chave secreta.'

const EVENTS: Record<ServerEventName, { name: string; params: Record<string, string | number> }> = {
  page_view: { name: 'page_view', params: {} },
  lead: { name: 'generate_lead', params: { currency: 'BRL', value: 0, lead_source: 'abrir_conta' } },
  contact: { name: 'contact', params: { method: 'whatsapp' } },
  sign_up: { name: 'sign_up', params: { method: 'newsletter' } },
}

/** GA4's Measurement Protocol: answers 204 to anything, and counts twice what comes twice. */
export const googleAnalyticsChannel: Channel = {
  batch: 1,
  parallel: 10,
  atMostOnce: true,
  async send(client, target, jobs, signal) {
    const { url, headers, body } = composeGoogleRequest(target, jobs[0] as Job)
    return readGoogleAnswer(await client.post(url, headers, JSON.stringify(body), signal))
  },
}

export function composeGoogleRequest({ account, secret, siteUrl }: Target, job: Job, debug = false): Request {
  const url = new URL(debug ? DEBUG : COLLECT)
  url.searchParams.set('measurement_id', account)
  url.searchParams.set('api_secret', secret)
  return { url: url.href, headers: {}, body: composeGoogleEvent(job, siteUrl) }
}

/** Nothing that identifies a person: no e-mail, no number of ours. */
function composeGoogleEvent({ event, payload }: Job, siteUrl: string): Record<string, unknown> {
  const { name, params } = EVENTS[event]
  const micros = payload.at * 1000
  const ads = payload.marketing ? 'GRANTED' : 'DENIED'
  const page = {
    session_id: payload.session ?? '',
    engagement_time_msec: payload.engagementMs ?? 1,
    page_location: pageAddress(siteUrl, payload).slice(0, 1000),
    ...(payload.title === undefined ? {} : { page_title: payload.title.slice(0, 300) }),
  }
  const campaign = describeCampaign(payload.campaign)
  return {
    client_id: payload.client ?? '',
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

/** Only what was never written may be sent again. */
export function readGoogleAnswer(answer: Answer): Verdict {
  if (answer.kind === 'answer') {
    const said = `HTTP ${answer.status}`
    if (answer.status >= 200 && answer.status < 300)
      return { kind: 'settled', state: 'unconfirmed', reason: '', answer: said, message: GOOGLE_NEVER_TELLS }
    return {
      kind: 'settled',
      state: 'refused',
      reason: said,
      answer: said,
      message: `O Google recusou a requisição (${said}). Confira o Measurement ID e a chave secreta da API; se estiverem certos, fale com a equipe de TI.`,
    }
  }
  const said = answer.kind === 'failed' ? answer.code : 'interrompido'
  if (answer.written)
    return { kind: 'settled', state: 'unconfirmed', reason: '', answer: said, message: GOOGLE_NEVER_TELLS }
  if (answer.kind === 'interrupted') return { kind: 'interrupted' }
  return {
    kind: 'retry',
    afterMs: null,
    answer: said,
    message: 'Não foi possível falar com o Google. Tentaremos de novo.',
  }
}
