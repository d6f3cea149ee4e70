import { createHash } from 'node:crypto'
import type { ClickId } from '#contract/campaign.ts'
import type { OptionalCategory } from '#contract/consent.ts'
import type { EmailRecipient } from '#contract/consent-choice.ts'
import type { DeliveryCheck, DeliveryState } from '#contract/conversions.ts'
import type { PixelDelivery, PixelType } from '#contract/pixel.ts'
import type { OutcomeEvent, ServerEventName } from '#contract/server-event.ts'
import type { Answer } from '#server/http/outgoing.ts'
import { readCookie } from '#server/http/requests.ts'
import { type CookieContext, type Identity, makeCookie } from '../visitor-cookies.ts'

/**
 * A system that the server sends events to, with everything about it: form, cookies, requests and answers. A new one is
 * a file in this folder, its row in `destinations.ts` and its stand-in in the tests.
 */
export interface Destination {
  /** Value of `tracking_pixels.destination` and of `deliveries.kind`; never changed once released. */
  id: string
  name: string
  /** The type of the pixels that may name it. */
  type: PixelType
  /** The catalogue's vendor whose pasted code the dashboard suggests it for. */
  vendor?: string
  /** Who answers, with its article: `a Meta`, `o Google`. */
  who: string
  /** Its API; the configuration may replace host and version. Absent if the pixel has the address. */
  api?: Api & {
    /** When the vendor ends a version, where versions say it. */
    endOf?: (version: string) => number | null
  }
  /** The vendor's name for each event; null for those that it never gets. */
  events: Readonly<Record<ServerEventName, string | null>>
  /** The ways of sending besides the browser alone. No `both` where the vendor counts duplicates. */
  ways: readonly Exclude<PixelDelivery, 'browser'>[]
  form: DestinationForm
  /** Parameters of the page's address that are kept for it after consent, and left out of the campaign. */
  clickIds: readonly ClickId[]
  /** The cookies that `identify` sets, as visitors are shown them. */
  cookies: readonly ServerCookie[]
  /** Types of pixels whose script in the page reads the same cookies, so that these cannot be `HttpOnly`. */
  cookiesReadBy: readonly PixelType[]
  /** IDs that only this destination gets. */
  identify?(visit: Visit): Identity<Record<string, string | number>>
  /** What it gets about the visitor beyond page, campaign and its own IDs. */
  carries: readonly ('address' | 'agent')[]
  /** How it wants hashed addresses; absent if it takes none. */
  email?: EmailOptions
  /** How long after an event it is still accepted. */
  windowMs(way: PixelDelivery): number
  /** Events in one request. */
  batch: number
  /** Parallel requests in one round. */
  parallel: number
  /** The vendor counts duplicates: an event that may have been sent is never sent again. */
  atMostOnce: boolean
  /** Events about which the vendor could do nothing are not stored. */
  isUseful?: (payload: EventPayload) => boolean
  /** Exchanges the secret for a token that lasts a while, which `request` gets in its place. */
  exchange?: TokenExchange
  request(target: Target, jobs: readonly Job[], test?: TestMode): OutgoingRequest
  readAnswer(answer: ReceivedAnswer, sent: number): Verdict
  /** Set if the vendor judges events after it accepted them, and says so when asked. */
  confirmation?: Confirmation
  /** Portuguese text for a counted reason. */
  refusalText(reason: string): string
  /** How it gets outcomes, which have no page; absent if it takes none. */
  outcomes?: OutcomeOptions
  /** Portuguese texts where the vendor's answer confirms nothing: for one attempt, and for the pixel's health. */
  unconfirmed?: { attempt: string; health: string }
  test: TestOptions
}

interface EmailOptions {
  /** The name by which the consent text knows it. */
  recipient: EmailRecipient
  hash: EmailHash
  /** How long after an event it takes the hash, if not as long as the event. */
  oldestMs?: number
}

/** Of the address in lower case, or as Google normalises it. */
export type EmailHash = 'ordinary' | 'google'

/** How to ask later what became of the events of an accepted request. */
export interface Confirmation {
  /** How long after the request to ask first, and how long to ask at all. */
  firstMs: number
  lastMs: number
  /** The vendor's ID of an accepted request. */
  idOf(answer: ReceivedAnswer): string | null
  request(target: Target, id: string): Omit<OutgoingRequest, 'body'>
  /** A verdict other than `judged` and `retry` says nothing about the events yet. */
  read(answer: ReceivedAnswer, sent: number): JudgedEvents | Verdict
}

/** The vendor's counts. It does not say which events they are. */
interface JudgedEvents {
  kind: 'judged'
  confirmed: number
  refused: readonly { reason: string; count: number }[]
}

/** Outcomes of the customer's own system: they have no browser, no address and no page, only the click of the visit. */
interface OutcomeOptions {
  /** The name or number under which the vendor gets an outcome. */
  event: Field
  /** Names that the vendor knows. */
  known: readonly string[]
  /** For a name of an outcome; absent where only the customer knows the vendor's number. */
  suggest?: (name: string) => string
  /** Events that the vendor refuses without a value. */
  needValue?: readonly string[]
  /** The destination's own IDs of the visit. Null: the vendor could match the outcome to nobody. */
  identify(visit: OutcomeVisit): Record<string, string | number> | null
  /** How long after an outcome it is still accepted; `windowMs` by default. */
  oldestMs?: number
}

/** The visit that an outcome is tied to. */
export interface OutcomeVisit {
  at: number
  /** The destination's `clickIds` that the visit had. */
  clickIds: Readonly<Record<string, string>>
  /** A random number that no other destination gets, the same for all outcomes of the visit. */
  number: number
}

/** An API by origin and version; the version is empty where the vendor has none. */
export interface Api {
  url: string
  version: string
}

/** By destination: what the configuration replaces. */
export type ApiOverrides = Readonly<Record<string, Partial<Api>>>

/** The dashboard's form: fields, and texts in Portuguese. */
interface DestinationForm {
  /** Column `pixel_id`, or `destination_account` for custom pixels, whose code has the ID of the tag. */
  account?: Field
  /** With where to find it at the vendor. */
  secret: Field & { where: string }
  url?: Field
  /** The vendor's own ID of each event: a conversion rule or action. An event without one is not sent. */
  eventId?: Field
  /** What each way means, in a sentence. */
  meanings: Partial<Record<PixelDelivery, string>>
  recommended?: PixelDelivery
  /** Behind "Saiba mais". */
  more?: string
}

/** A field of the dashboard's form. */
export interface Field {
  label: string
  hint?: string
  example?: string
  pattern: RegExp
  maxLength: number
  /** A check beyond the pattern. */
  accepts?: (value: string) => boolean
  /** Portuguese: why a value is refused, and what to enter. */
  refusal: string
}

export interface ServerCookie {
  name: string
  days: number
  purpose: string
  /** The cookie ends when this consent is withdrawn; null: with the last consent. */
  category: OptionalCategory | null
}

export interface Visit extends CookieContext {
  /** The destination's `clickIds` that the page's address has. */
  clickIds: Readonly<Record<string, string>>
  /** A script in the page reads its cookies. */
  scriptOnPage: boolean
}

interface TestOptions {
  /** What happens with the test event at the vendor. */
  meaning: string
  /** A code without which the vendor counts the test event as a real one. */
  code?: Field & {
    hint: string
    /** Why a test visit sent nothing. */
    missingInVisit: string
  }
  /** Invented IDs in place of those from `identify`. */
  ids(now: number): Record<string, string | number>
  /** The vendor has no test mode: the event is checked here and not sent. Returns what is wrong, in Portuguese. */
  checkHere?: (request: OutgoingRequest) => string | null
  /** Set if the test endpoint answers differently from what `readAnswer` expects; null leaves it to that. */
  read?(answer: ReceivedAnswer): Pick<DeliveryCheck, 'state' | 'message'> | null
}

export interface TestMode {
  code?: string | undefined
}

/** The content of `deliveries.payload`: everything that one destination gets. It is deleted with its row. */
export interface EventPayload {
  /** When it happened, in milliseconds. */
  at: number
  path: string
  title?: string
  /** Without click IDs. */
  campaign?: Record<string, string>
  address: string | null
  agent: string | null
  /** The visitor also accepted marketing. */
  marketing: boolean
  /** A random ID of ours, made after consent. Empty for outcomes. */
  visitor: string
  /** Of an outcome, where the administrator switched it on. */
  value?: OutcomeValue
  /** SHA-256, in hexadecimal. */
  email?: string
  /** Of an outcome: the vendor could match it by the address only. */
  onlyEmail?: true
  /** IDs of the destination, from `identify`. */
  [id: string]: unknown
}

/** A decimal such as `189.90`, and its currency. */
interface OutcomeValue {
  amount: string
  currency: string
}

/** A row that this process has claimed. */
interface ClaimedRow {
  id: string
  pixel_id: string
  event_id: string
  consent_id: string
  category: string
  attempts: number
  created_at: string
  expires_at: string
  payload: EventPayload
}

/** An event of a visitor's page. */
export interface PageJob extends ClaimedRow {
  event: ServerEventName
  outcome?: undefined
}

export interface OutcomeJob extends ClaimedRow {
  event: OutcomeEvent
  /** As the administrator wants it sent. The event is empty if they no longer do. */
  outcome: { event: string; value: OutcomeValue | null }
}

export type Job = PageJob | OutcomeJob

/** Where a pixel's events go, and the credentials for it. */
export interface Target {
  destination: Destination
  /** The vendor's ID of the pixel. */
  account: string
  /** Never logged, shown or put into an error. */
  secret: string
  url: string | null
  /** Whether the hash of an address may be sent. Read when sending, so that switching it off takes effect at once. */
  sendsEmail: boolean
  siteUrl: string
  api: Api
  /** By event, where the vendor identifies events by an ID of its own. */
  eventIds: EventIds
}

export type EventIds = Partial<Record<string, string>>

export function apiOf({ id, api }: Destination, overrides: ApiOverrides): Api {
  return { url: api?.url ?? '', version: api?.version ?? '', ...overrides[id] }
}

/** Whether a pixel with these IDs sends an event at all. */
export function takesEvent(
  { events, form }: Destination,
  eventIds: EventIds,
  event: ServerEventName,
): boolean {
  return events[event] !== null && (form.eventId === undefined || eventIds[event] !== undefined)
}

/** False once an administrator removed the event's ID, or chose to send the outcome no more. */
export function isSendable(destination: Destination, eventIds: EventIds, job: Job): boolean {
  return job.outcome === undefined
    ? takesEvent(destination, eventIds, job.event)
    : destination.outcomes !== undefined && job.outcome.event !== ''
}

/** The job without a hashed address; null if the vendor could then match it to nobody. */
export function withoutEmail(destination: Destination, job: Job): Job | null {
  const { email, ...payload } = job.payload
  if (email === undefined) return job
  const isUseful = job.outcome === undefined ? destination.isUseful?.(payload) !== false : !payload.onlyEmail
  return isUseful ? { ...job, payload } : null
}

/** `primeira_venda` as `PrimeiraVenda`, the way vendors write the names of their own events. */
export function inCamelCase(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9]?)/g, (_, first: string) => first.toUpperCase())
}

/** The first of the destination's click IDs that the visit had. */
export function firstClick({ clickIds }: OutcomeVisit): Record<string, string> | null {
  const click = Object.entries(clickIds).find(([, id]) => CLICK_ID.test(id))
  return click === undefined ? null : { [click[0]]: click[1] }
}

export interface OutgoingRequest {
  url: string
  headers: Record<string, string>
  /** Sent as JSON, unless it is text. */
  body: unknown
}

export interface TokenExchange {
  request(secret: string, now: number): Promise<OutgoingRequest>
  /** The token, or why there is none. */
  read(answer: ReceivedAnswer): { token: string; lastsMs: number } | EventVerdict
}

export type ReceivedAnswer = Exclude<Answer, { kind: 'interrupted' }>

/** An answer as text for the dashboard. */
interface Said {
  /** `HTTP 400 · 100/2804003`, or why there was none. Never an address, a header or data of a visitor. */
  answer: string
  /** Portuguese, with what to do. */
  message: string
}

/** The result of one request. */
export type Verdict =
  | EventVerdict
  /** The vendor answered for each event, in the order sent. */
  | { kind: 'each'; verdicts: readonly EventVerdict[] }
  /** The vendor takes no hashed address from this account: the event is sent again without it. */
  | (Said & { kind: 'without_email'; reason: string })
  /** One bad event refuses the whole request: its halves are sent separately. */
  | (Said & { kind: 'split'; reason: string })
  /** The server is shutting down: it says nothing about the vendor. */
  | { kind: 'interrupted' }

/** The result of one event, or of all events of a request. */
export type EventVerdict =
  | (Said & {
      kind: 'settled'
      state: Extract<DeliveryState, 'accepted' | 'unconfirmed' | 'refused'>
      /** The reason of a refusal, as a code. */
      reason: string
    })
  /** Try later; `afterMs` is the vendor's own delay. */
  | (Said & { kind: 'retry'; afterMs: number | null })
  /** The vendor accepts nothing until somebody fixes the pixel. */
  | (Said & { kind: 'stop'; code: string })

const UNCONFIRMED = {
  attempt: 'O envio foi interrompido antes da resposta. O evento pode ter chegado.',
  health: 'O servidor enviou, mas a plataforma não confirma o recebimento.',
}

export function unconfirmedTexts({ unconfirmed }: Destination): { attempt: string; health: string } {
  return unconfirmed ?? UNCONFIRMED
}

/** Reads the answer to a request. Where the vendor counts duplicates, an event that may have arrived is settled. */
export function judgeAnswer(destination: Destination, answer: Answer, sent: number): Verdict {
  if (answer.kind !== 'answer' && answer.written && destination.atMostOnce)
    return {
      kind: 'settled',
      state: 'unconfirmed',
      reason: '',
      answer: answer.kind === 'failed' ? answer.code : 'interrompido',
      message: unconfirmedTexts(destination).attempt,
    }
  return answer.kind === 'interrupted' ? { kind: 'interrupted' } : destination.readAnswer(answer, sent)
}

/** The page's address as vendors get it: the path, and only the campaign parameters of the query. */
export function pageAddress(
  siteUrl: string,
  { path, campaign }: Pick<EventPayload, 'path' | 'campaign'>,
): string {
  const url = new URL(path, siteUrl)
  for (const [name, value] of Object.entries(campaign ?? {})) url.searchParams.set(name, value)
  return url.href
}

export function isAccepted({ pattern, maxLength, accepts }: Field, value: string): boolean {
  return value.length <= maxLength && pattern.test(value) && (accepts?.(value) ?? true)
}

/** At least one event has an ID, and each is one of the vendor's. */
export function areEventIds(field: Field, ids: EventIds): boolean {
  const given = Object.values(ids)
  return given.length > 0 && given.every((id) => id !== undefined && isAccepted(field, id))
}

/** Characters that need no escaping in a header or address: text pasted with a space or quote is no token. */
export const VENDOR_TOKEN = {
  pattern: /^[A-Za-z0-9_.|~+/=-]{8,1000}$/,
  maxLength: 1_000,
  refusal: 'o texto colado não parece completo. Copie de novo, sem espaços nem aspas.',
}

/** Which button or form of the page a conversion came from, for vendors that take a name of it. */
export const CONTENT_NAMES: Partial<Record<ServerEventName, string>> = {
  lead: 'abrir_conta',
  contact: 'whatsapp',
  sign_up: 'newsletter',
}

/** Vendors' click IDs; text with other characters is none. */
export const CLICK_ID = /^[\w.+/=-]{1,500}$/

/**
 * The visitor's newest click on an ad, kept in a cookie of ours, because the next page's address no longer has it.
 * `scriptCookies` has the cookies in which the vendor's own script keeps them, by parameter.
 */
export function identifyClick(
  visit: Visit,
  cookie: ServerCookie,
  scriptCookies: Readonly<Record<string, string>> = {},
): Identity<Record<string, string>> {
  const [, name, value] = /^([a-z_]{1,20})\.(.+)$/.exec(readCookie(visit.header, cookie.name) ?? '') ?? []
  const click = [...Object.entries(visit.clickIds), [name ?? '', value ?? ''] as const].find(([, id]) =>
    CLICK_ID.test(id),
  )
  if (click !== undefined)
    return {
      values: { [click[0]]: click[1] },
      cookies: [makeCookie(visit, cookie, `${click[0]}.${click[1]}`)],
    }
  const ofScript = Object.entries(scriptCookies)
    .map(([parameter, kept]) => [parameter, readCookie(visit.header, kept) ?? ''] as const)
    .filter(([, id]) => CLICK_ID.test(id))
  return { values: Object.fromEntries(ofScript), cookies: [] }
}

/** Our visitor's random ID, or any other text, as vendors want it. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The JSON object of an answer; null for anything else. */
export function parseObject(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body)
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
