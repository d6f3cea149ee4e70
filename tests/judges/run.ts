/**
 * `npm run judge -- --google=FOLDER --pinterest=FILE --tiktok=FILE`: checks what we send with code that vendors
 * published. `--google` is a copy of github.com/googleanalytics/ga-dev-tools, whose event schema Google's own Event
 * Builder uses; `--pinterest` is `v5/openapi.json` of github.com/pinterest/api-description; `--tiktok` is `template.js` of
 * github.com/tiktok/gtm-template-eapi. Meta's parameter builder and the messages of Google's Data Manager API come from
 * npm. None is part of this repository. LinkedIn publishes no schema of these events.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { runInNewContext } from 'node:vm'
import { createServer } from 'vite'
import { SERVER_EVENTS } from '#contract/server-event.ts'
import {
  apiOf,
  type Job,
  type OutcomeJob,
  type PageJob,
  pageAddress,
  type Target,
  takesEvent,
} from '#server/conversions/destinations/destination.ts'
import { googleAds } from '#server/conversions/destinations/google-ads.ts'
import { googleAnalytics } from '#server/conversions/destinations/google-analytics.ts'
import { pinterest } from '#server/conversions/destinations/pinterest.ts'
import { tiktok } from '#server/conversions/destinations/tiktok.ts'
import { hashEmail } from '#server/conversions/sign-up-email.ts'
import { installNpmTool, TOOLS_DIRECTORY } from '../support/install-npm-tool.ts'
import { googleStatus } from '../support/vendor-apis/google-ads.ts'

const SCHEMA = '/src/components/ga4/EventBuilder/ValidateEvent/schemas/baseContent.ts'
const require = createRequire(import.meta.url)
const EMAILS = [
  '  Maria.Silva@Example.COM.BR ',
  'contato+news@Gmail.com',
  'John_Smith@gmail.com',
  'ana@exemplo.com.br',
]
const VISITOR = '7f3c2a10-9b4e-4c58-8e21-0d6a5b1c9e77'

type Judged = [what: string, isSo: boolean]

async function judgeByMeta(): Promise<Judged[]> {
  const folder = installNpmTool('capi-param-builder-nodejs', '1.3.2')
  const { ParamBuilder } = require(folder)
  const builder = new ParamBuilder()
  // Its hash may have a suffix that names the library.
  const hash = (text: string, type: string) =>
    String(builder.getNormalizedAndHashedPII(text, type)).split('.')[0]
  return [
    ...EMAILS.map(
      (email): Judged => [`Meta: hash of ${email.trim()}`, hash(email, 'email') === hashEmail(email)],
    ),
    [
      'Meta: hash of an external ID',
      hash(VISITOR, 'external_id') === createHash('sha256').update(VISITOR).digest('hex'),
    ],
  ]
}

async function judgeByGoogle(folder: string | undefined): Promise<Judged[]> {
  if (folder === undefined) return []
  const library = installNpmTool('json-schema-library', '7.4.7')
  const { Draft07 } = require(library)
  const vite = await createServer({
    root: folder,
    configFile: false,
    logLevel: 'error',
    server: { middlewareMode: true },
  })
  try {
    const { baseContentSchema } = await vite.ssrLoadModule(SCHEMA)
    const schema = new Draft07(baseContentSchema)
    const isValid = (body: unknown) => schema.isValid(body) as boolean
    const bodyOf = (job: Job) => {
      // Documented since, and unknown to this schema.
      const { consent: _consent, ...body } = googleAnalytics.request(TARGET, [job]).body as Record<
        string,
        unknown
      >
      return body
    }
    return [
      ...SERVER_EVENTS.map((event): Judged => [`Google: ${event}`, isValid(bodyOf(jobOf(event)))]),
      ['Google: an outcome', isValid(bodyOf(outcomeJob('purchase', { client: '1873645021.1794737900' })))],
      ['Google: refuses a body with a key of ours', !isValid({ ...bodyOf(jobOf('lead')), portico: 1 })],
    ]
  } finally {
    await vite.close()
  }
}

/** By the protocol buffers of Google's own client: unknown keys and wrong values throw, and nothing required may miss. */
function judgeByDataManager(): Judged[] {
  const folder = installNpmTool('@google-ads/datamanager', '0.3.0')
  const ofTools = createRequire(join(TOOLS_DIRECTORY, 'package.json'))
  const { Root } = ofTools('protobufjs')
  const { fromProto3JSON } = ofTools('proto3-json-serializer')
  const root = Root.fromJSON(JSON.parse(readFileSync(join(folder, 'build/protos/protos.json'), 'utf8')))
  const isMessage = (name: string, body: unknown) => {
    const Message = root.lookupType(`google.ads.datamanager.v1.${name}`)
    try {
      fromProto3JSON(Message, body)
      return findMistakes(Message.resolveAll(), body).length === 0
    } catch {
      return false
    }
  }
  const isValid = (body: unknown) => isMessage('IngestEventsRequest', body)
  const isStatus = (...status: Parameters<typeof googleStatus>) => {
    const reply = googleStatus(...status)
    return (
      typeof reply === 'object' && isMessage('RetrieveRequestStatusResponse', JSON.parse(reply.body ?? ''))
    )
  }
  const target: Target = {
    ...TARGET,
    destination: googleAds,
    account: '123-456-7890',
    api: apiOf(googleAds, {}),
    eventIds: { lead: '987654321', contact: '987654322', sign_up: '987654323' },
  }
  const bodyOf = (event: PageJob['event'], mode?: object) =>
    googleAds.request(target, [jobOf(event, { gclid: 'Cj0KCQexample' })], mode).body as {
      events: Record<string, unknown>[]
    }
  const good = bodyOf('lead')
  const withEvent = (change: object) => ({ ...good, events: [{ ...good.events[0], ...change }] })
  return [
    ...SERVER_EVENTS.filter((event) => takesEvent(googleAds, target.eventIds, event)).map(
      (event): Judged => [`Google Ads: ${event}`, isValid(bodyOf(event))],
    ),
    ['Google Ads: a dry run', isValid(bodyOf('lead', {}))],
    [
      'Google Ads: an outcome with its value',
      isValid(googleAds.request(target, [outcomeJob('987654399', { gclid: 'Cj0KCQexample' })]).body),
    ],
    ['Google Ads: refuses a key of ours', !isValid(withEvent({ portico: 1 }))],
    ['Google Ads: refuses an unknown source', !isValid(withEvent({ eventSource: 'SITE' }))],
    ['Google Ads: refuses an event without its time', !isValid(withEvent({ eventTimestamp: undefined }))],
    ...['SUCCESS', 'PROCESSING', 'REQUEST_STATUS_UNKNOWN'].map(
      (status): Judged => [`Google Ads: a later result, ${status}`, isStatus(status)],
    ),
    ...['FAILED', 'PARTIAL_SUCCESS'].map(
      (status): Judged => [
        `Google Ads: a later result, ${status}`,
        isStatus(status, { DUPLICATE_GCLID: 1, DUPLICATE_TRANSACTION_ID: 1, EVENT_TOO_OLD: 1 }),
      ],
    ),
    ['Google Ads: refuses an unknown result', !isStatus('DONE')],
    ['Google Ads: refuses an unknown reason', !isStatus('FAILED', { BAD_WEATHER: 1 })],
  ]
}

interface MessageType {
  fields: Record<string, { repeated: boolean; options?: Record<string, unknown>; resolvedType: unknown }>
}

/** Keys and values that a message does not have, and required keys that are missing. */
function findMistakes({ fields }: MessageType, body: unknown): string[] {
  const given = Object.entries(body as object).filter(([, value]) => value !== undefined)
  const missing = Object.entries(fields)
    .filter(([, { options }]) => options?.['(google.api.field_behavior)'] === 'REQUIRED')
    .map(([name]) => name)
    .filter((name) => !given.some(([key]) => key === name))
  return given
    .flatMap(([key, value]) => {
      const inner = fields[key]?.resolvedType as
        | (MessageType & { values?: Record<string, number> })
        | null
        | undefined
      if (inner === undefined) return [key]
      if (inner?.values !== undefined) return String(value) in inner.values ? [] : [key]
      if (inner?.fields === undefined || typeof value !== 'object') return []
      return [value].flat().flatMap((each) => findMistakes(inner, each))
    })
    .concat(missing)
}

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0'
const AT = Date.UTC(2026, 10, 15)
const VALUE = { amount: '189.90', currency: 'BRL' }

/**
 * By TikTok's own template for servers: given the same visit, it sends the same request, but for what it says about
 * itself.
 */
function judgeByTikTok(file: string | undefined): Judged[] {
  if (file === undefined) return []
  const source = readFileSync(file, 'utf8')
  const target = { ...TARGET, destination: tiktok, account: 'C1ABCDEF2GHIJKLMNOP0', api: apiOf(tiktok, {}) }
  const ids = { ttclid: 'E.C.P.example', ttp: '2MZx9wQpL0aVb7', email: hashEmail(EMAILS[0] ?? '') }
  const visit = (job: Job) => ({
    page_location: pageAddress(target.siteUrl, job.payload),
    ip_override: job.payload.address,
    user_agent: AGENT,
    user_id: VISITOR,
    email: EMAILS[0],
  })
  const isSame = (job: Job, given: { data: object; event: object; ttp?: string }) => {
    const { url, headers, body } = tiktok.request(target, [job])
    const theirs = runTikTokTemplate(source, {
      ...given,
      data: {
        pixel_code: target.account,
        event_id: job.event_id,
        access_token: target.secret,
        ttclid: ids.ttclid,
        ...given.data,
      },
    })
    return isDeepStrictEqual({ url, headers, body }, theirs)
  }
  const isSameEvent = (event: PageJob['event'], data: object = {}) => {
    const job = jobOf(event, ids)
    const custom = { page_view: {}, sign_up: {}, lead: { event: 'Lead' }, contact: { event: 'Contact' } }
    const described = {
      lead: 'abrir_conta',
      contact: 'whatsapp',
      sign_up: 'newsletter',
      page_view: undefined,
    }
    return isSame(job, {
      data: { ...custom[event], description: described[event], ...data },
      event: { event_name: event, ...visit(job) },
      ttp: ids.ttp,
    })
  }
  return [
    ...SERVER_EVENTS.map((event): Judged => [`TikTok: ${event}`, isSameEvent(event)]),
    [
      'TikTok: an outcome with its value',
      isSame(outcomeJob('ApplicationApproval', { ttclid: ids.ttclid }), {
        data: { event: 'ApplicationApproval', value: VALUE.amount, currency: VALUE.currency },
        event: {},
      }),
    ],
    ['TikTok: notices another description', !isSameEvent('lead', { description: 'portico' })],
  ]
}

/** The request that the template makes, without empty objects and without its own name and version. */
function runTikTokTemplate(
  source: string,
  { data, event, ttp }: { data: object; event: object; ttp?: string },
): unknown {
  let sent: unknown
  const sandbox: Record<string, unknown> = {
    getAllEventData: () => event,
    getCookieValues: (name: string) => (name === '_ttp' && ttp !== undefined ? [ttp] : []),
    getTimestampMillis: () => AT,
    makeNumber: Number,
    Math,
    JSON,
    parseUrl: (text: string) => ({ hostname: new URL(text).hostname, searchParams: {} }),
    sha256Sync: (text: string) => createHash('sha256').update(text).digest('hex'),
    sendHttpRequest: (
      url: string,
      _done: unknown,
      { headers }: { headers: Record<string, string> },
      text: string,
    ) => {
      const { partner_name: _name, data: events, ...rest } = JSON.parse(text)
      for (const { properties } of events) {
        delete properties.gtm_version
        delete properties.event_trigger_source
      }
      const body = { ...rest, data: events.map(withoutEmpty) }
      // Every request with a body has a type of its content.
      sent = { url, headers: { 'access-token': headers['Access-Token'] }, body }
    },
  }
  const nothing = () => undefined
  runInNewContext(`(function () { ${source} })()`, {
    require: (name: string) => sandbox[name] ?? nothing,
    data: { logType: 'no', ...data },
  })
  return sent
}

function withoutEmpty(event: object): object {
  const isEmpty = (value: unknown) =>
    typeof value === 'object' && value !== null && Object.keys(value).length === 0
  return Object.fromEntries(Object.entries(event).filter(([, value]) => !isEmpty(value)))
}

/** By the published description of Pinterest's API. Names of events are free text in it. */
function judgeByPinterest(file: string | undefined): Judged[] {
  if (file === undefined) return []
  const { Draft07 } = require(installNpmTool('json-schema-library', '7.4.7'))
  const { components } = JSON.parse(readFileSync(file, 'utf8'))
  const schema = new Draft07({ ...components.schemas.ConversionEvents, components })
  const isValid = (body: unknown) => schema.isValid(body) as boolean
  const target = {
    ...TARGET,
    destination: pinterest,
    account: '549755885175',
    api: apiOf(pinterest, {}),
  }
  const bodyOf = (event: PageJob['event']) =>
    pinterest.request(target, [
      jobOf(event, { epik: 'dj0yJnU9example', email: hashEmail('ana@exemplo.com.br') }),
    ]).body as { data: Record<string, unknown>[] }
  const good = bodyOf('lead').data[0]
  return [
    ...SERVER_EVENTS.map((event): Judged => [`Pinterest: ${event}`, isValid(bodyOf(event))]),
    ['Pinterest: refuses a key of ours', !isValid({ data: [{ ...good, portico: 1 }] })],
    ['Pinterest: refuses a time as text', !isValid({ data: [{ ...good, event_time: '1794738000' }] })],
  ]
}

const TARGET: Target = {
  destination: googleAnalytics,
  account: 'G-7XK2M9QTLP',
  secret: 'secret',
  url: null,
  sendsEmail: true,
  siteUrl: 'https://www.exemplo.com.br',
  api: { url: 'https://www.google-analytics.com', version: '' },
  eventIds: {},
}

function jobOf(event: PageJob['event'], ids: object = {}): Job {
  return {
    id: '',
    pixel_id: '',
    event_id: '0b9f6c1e-6a55-4c0e-9a57-4f6f1d2c7a10',
    event,
    consent_id: '',
    category: 'desempenho',
    attempts: 1,
    created_at: '',
    expires_at: '',
    payload: {
      at: AT,
      path: '/',
      title: 'Início',
      campaign: { utm_source: 'boletim', utm_medium: 'email', utm_campaign: 'novembro' },
      address: '189.6.10.20',
      agent: AGENT,
      marketing: true,
      visitor: VISITOR,
      client: '1873645021.1794737900',
      session: '1794737900',
      engagementMs: 4_200,
      ...ids,
    },
  }
}

function outcomeJob(event: string, ids: object): OutcomeJob {
  return {
    ...jobOf('lead'),
    event: 'outcome:primeira_venda',
    payload: { at: AT, path: '/', address: null, agent: null, marketing: true, visitor: '', ...ids },
    outcome: { event, value: VALUE },
  }
}

const { values } = parseArgs({
  options: { google: { type: 'string' }, pinterest: { type: 'string' }, tiktok: { type: 'string' } },
})
const verdicts = [
  ...(await judgeByMeta()),
  ...(await judgeByGoogle(values.google)),
  ...judgeByDataManager(),
  ...judgeByPinterest(values.pinterest),
  ...judgeByTikTok(values.tiktok),
]
for (const [what, isSo] of verdicts) console.log(`${isSo ? 'agrees' : 'DISAGREES'}  ${what}`)
process.exit(verdicts.every(([, isSo]) => isSo) ? 0 : 1)
