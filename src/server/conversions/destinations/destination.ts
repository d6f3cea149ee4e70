import type { OptionalCategory } from '#contract/consent.ts'
import type { DeliveryCheck, DeliveryState } from '#contract/conversions.ts'
import type { PixelDelivery, PixelType } from '#contract/pixel.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import type { Answer } from '#server/http/outgoing.ts'
import type { CookieContext, Identity } from '../visitor-cookies.ts'

/**
 * A system that the server sends events to, with everything about it: its form, its cookies, its requests and its
 * answers. A new one is a file of this folder, its row in `destinations.ts` and its stand-in in the tests.
 */
export interface Destination {
  /** Value of `tracking_pixels.destination` and of `deliveries.kind`; never changed once released. */
  id: string
  name: string
  /** The type of the pixels that may name it. */
  type: PixelType
  /** How it can be sent to besides the browser alone. No `both` where the vendor counts duplicates. */
  ways: readonly Exclude<PixelDelivery, 'browser'>[]
  form: { account?: Field; secret: Field; url?: Field }
  /** Parameters of the page's address that are kept for it after consent, and left out of the campaign. */
  clickIds: readonly string[]
  /** What `identify` sets, as visitors are shown it. */
  cookies: readonly ServerCookie[]
  /** Types of pixels whose script in the page reads the same cookies, so that they cannot be `HttpOnly`. */
  cookiesReadBy: readonly PixelType[]
  /** IDs that only this destination gets. */
  identify?(visit: Visit): Identity<Record<string, string | number>>
  /** What it gets of the visitor beyond the page, the campaign and its own IDs. */
  carries: readonly ('address' | 'agent' | 'email')[]
  /** How long it takes an event after it happened. */
  windowMs(way: PixelDelivery): number
  /** Events in one request. */
  batch: number
  /** Requests at a time, in one round. */
  parallel: number
  /** The vendor counts duplicates: what may have been written is never sent again. */
  atMostOnce: boolean
  request(target: Target, jobs: readonly Job[], test?: TestMode): OutgoingRequest
  readAnswer(answer: ReceivedAnswer, sent: number): Verdict
  /** Portuguese, for a reason that was counted. */
  refusalText(reason: string): string
  /** Portuguese, where the vendor's answer confirms nothing: of one attempt, and of the pixel's health. */
  unconfirmed?: { attempt: string; health: string }
  test: TestOptions
}

/** A field of the dashboard's form. */
export interface Field {
  label: string
  example?: string
  pattern: RegExp
  maxLength: number
  /** What a pattern cannot say. */
  accepts?: (value: string) => boolean
  /** Portuguese: why a value is refused, and what to enter. */
  refusal: string
}

export interface ServerCookie {
  name: string
  days: number
  purpose: string
  /** It ends when this consent is withdrawn; null: with the last consent. */
  category: OptionalCategory | null
}

export interface Visit extends CookieContext {
  /** Of the destination's own `clickIds`, those that the page's address has. */
  clickIds: Readonly<Record<string, string>>
  /** A script in the page reads its cookies. */
  scriptOnPage: boolean
}

interface TestOptions {
  /** What the test event is for the vendor. */
  meaning: string
  /** A code without which the vendor counts the test event like any other. */
  code?: Field & {
    hint: string
    /** Why a test on the site sent nothing. */
    missingInVisit: string
  }
  /** Made-up IDs in place of those that `identify` makes. */
  ids(now: number): Record<string, string | number>
  /** Where the test endpoint answers in another way than `readAnswer` expects. */
  read?(answer: ReceivedAnswer): Pick<DeliveryCheck, 'state' | 'message'>
}

export interface TestMode {
  code?: string | undefined
}

/** What `deliveries.payload` holds: all that one destination gets. It is erased with its row. */
export interface EventPayload {
  /** When it happened, in milliseconds. */
  at: number
  path: string
  title?: string
  /** Without click IDs. */
  campaign?: Record<string, string>
  address: string | null
  agent: string | null
  /** The visitor accepted marketing, too. */
  marketing: boolean
  /** Random and ours, made after consent. */
  visitor: string
  /** SHA-256, in hexadecimal. */
  email?: string
  /** IDs of the destination, from `identify`. */
  [id: string]: unknown
}

/** An event that this process has claimed. */
export interface Job {
  id: string
  pixel_id: string
  event_id: string
  event: ServerEventName
  consent_id: string
  category: string
  attempts: number
  created_at: string
  expires_at: string
  payload: EventPayload
}

/** Where a pixel's events go, and the credentials for it. */
export interface Target {
  destination: Destination
  /** The vendor's ID of the pixel. */
  account: string
  /** Never logged, shown or put into an error. */
  secret: string
  url: string | null
  /** Whether the hash of an address may be sent: what was switched off since is not. */
  sendsEmail: boolean
  siteUrl: string
  graphVersion: string
}

export interface OutgoingRequest {
  url: string
  headers: Record<string, string>
  body: unknown
}

export type ReceivedAnswer = Exclude<Answer, { kind: 'interrupted' }>

/** What an answer says, in words for the log of the dashboard. */
interface Said {
  /** `HTTP 400 · 100/2804003`, or why there was none: never an address, a header or what a visitor did. */
  answer: string
  /** Portuguese, with what to do. */
  message: string
}

/** What became of one request, and so of each event in it. */
export type Verdict =
  | (Said & {
      kind: 'settled'
      state: Extract<DeliveryState, 'accepted' | 'unconfirmed' | 'refused'>
      /** Of a refusal, as a code. */
      reason: string
    })
  /** Later; `afterMs` is what the vendor asked for. */
  | (Said & { kind: 'retry'; afterMs: number | null })
  /** Nothing is taken until somebody fixes something. */
  | (Said & { kind: 'stop'; code: string })
  /** One bad event refuses the whole request: its parts are sent apart. */
  | (Said & { kind: 'split'; reason: string })
  /** We are shutting down: it says nothing about the vendor. */
  | { kind: 'interrupted' }

const UNCONFIRMED = {
  attempt: 'O envio foi interrompido antes da resposta. O evento pode ter chegado.',
  health: 'Enviado pelo servidor, sem confirmação do destino.',
}

export function unconfirmedTexts({ unconfirmed }: Destination): { attempt: string; health: string } {
  return unconfirmed ?? UNCONFIRMED
}

/** Reads the answer to a request with so many events. Where duplicates count, what may have arrived is settled. */
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

/** The page as vendors get it: its path, and of its query only the campaign. */
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

/** Nothing that a header or an address would have to escape: what was pasted with a space or a quote is no token. */
export const VENDOR_TOKEN = {
  pattern: /^[A-Za-z0-9_.|~+/=-]{8,1000}$/,
  maxLength: 1_000,
  refusal: 'o texto colado não parece um token. Copie de novo, sem espaços nem aspas.',
}

export const HOUR_MS = 3_600_000

export const DAY_MS = 24 * HOUR_MS
