import { createHash } from 'node:crypto'
import { DAY_MS } from '#contract/durations.ts'
import { DESTINATIONS } from '../conversions/destinations/destinations.ts'
import { type Answer, OutgoingClient } from '../http/outgoing.ts'

/** A token that contains this is refused, like an expired one by Meta. */
export const EXPIRED = 'expirado'

/** The webhook of this host does not answer after a given time. */
export const FAILING_HOST = 'erp.exemplo.com.br'

/** In every answer, to show that no vendor sent it. */
const MARK = { 'x-portico-demonstration': 'stand-in' }

/**
 * Answers in place of every external server, inside this process: nothing leaves the machine. An answer depends on the
 * request only, so that the same past has the same answers.
 */
export class StandIns extends OutgoingClient {
  readonly #failsFrom: number

  constructor({ failsFrom }: { failsFrom: number }) {
    super({ httpsProxy: null, noProxy: null })
    this.#failsFrom = failsFrom
  }

  override async post(url: string, headers: Record<string, string>, body: string): Promise<Answer> {
    // Only the exchange of a key for a token is a form.
    if (!body.startsWith('{')) return answer(200, JSON.stringify(TOKEN))
    const vendor = DESTINATIONS.find(({ api }) => api !== undefined && url.startsWith(`${api.url}/`))
    const answerAs = VENDORS[vendor?.id ?? '']
    if (answerAs !== undefined) return answerAs(JSON.parse(body), tokenOf(headers))
    const { email, timestamp } = JSON.parse(body) as { email?: string; timestamp?: string }
    if (new URL(url).hostname === FAILING_HOST && Date.now() >= this.#failsFrom) return answer(503, '')
    // Some subscriptions are never accepted, and given up after a week.
    if (email !== undefined && isOneIn(45, email)) return answer(422, '')
    // Sometimes any server is slow or unavailable; the next attempt is at another time.
    const second = String(Math.floor(Date.now() / 1000))
    return isOneIn(40, `${second} ${email ?? timestamp}`) ? answer(502, '') : answer(200, '')
  }

  /** The only question is what became of a request to Google Ads. */
  override async get(): Promise<Answer> {
    return answer(200, JSON.stringify({ requestStatusPerDestination: [{ requestStatus: 'SUCCESS' }] }))
  }

  /** A vendor's file stays the same for some weeks. */
  override async fetchFile(url: string): Promise<{ body: Buffer }> {
    const release = Math.floor((Date.now() / DAY_MS + numberOf(url)) / 37)
    return {
      body: Buffer.from(`/* ${url} · demonstração · ${release} */\n`.repeat(40 + (numberOf(url) % 900))),
    }
  }
}

const TOKEN = { access_token: 'demonstracao', expires_in: 3599, token_type: 'Bearer' }

function tokenOf(headers: Record<string, string>): string {
  const named = Object.entries(headers).find(([name]) => /^(authorization|access-token)$/i.test(name))
  return named?.[1] ?? ''
}

/** The part of an event that is the same for each past of a seed; its ID is not. */
interface BatchedEvent {
  event_name?: string
  event?: string
  event_time: number
  action_source?: string
}

interface SentBody {
  data?: readonly BatchedEvent[]
}

/** Each vendor in its own form, by the id of its destination. The others answer like a webhook. */
const VENDORS: Readonly<Record<string, (body: SentBody, token: string) => Answer>> = {
  meta: ({ data = [] }, token) => answerAsMeta(data, token),
  tiktok: ({ data = [] }, token) => {
    const code = token.includes(EXPIRED) ? 40_105 : data.some(isIncomplete) ? 40_002 : 0
    return answer(200, JSON.stringify({ code, message: 'Demonstração', request_id: 'demonstracao' }))
  },
  pinterest: ({ data = [] }, token) => {
    if (token.includes(EXPIRED)) return answer(401, JSON.stringify({ code: 2, message: 'Demonstração' }))
    const events = data.map((event) => ({ status: isIncomplete(event) ? 'failed' : 'processed' }))
    return answer(200, JSON.stringify({ num_events_received: data.length, events }))
  },
  linkedin: (_body, token) => answer(token.includes(EXPIRED) ? 401 : 201, ''),
  google_ads: () => answer(200, JSON.stringify({ requestId: 'demonstracao' })),
}

/** An outcome has no browser: fewer people are recognised by the click alone. */
function isIncomplete({ event_name, event, event_time, action_source }: BatchedEvent): boolean {
  const many = action_source === 'system_generated' ? 4 : 30
  return isOneIn(many, `${event_name ?? event} ${event_time}`)
}

function answerAsMeta(events: readonly BatchedEvent[], token: string): Answer {
  if (token.includes(EXPIRED)) return answer(401, metaError({ code: 190, error_subcode: 463 }))
  // One incomplete event refuses the whole request; sent alone, the others are accepted.
  if (events.some(isIncomplete)) return answer(400, metaError({ code: 100, error_subcode: 2_804_050 }))
  return answer(
    200,
    JSON.stringify({ events_received: events.length, messages: [], fbtrace_id: 'demonstracao' }),
  )
}

function metaError(error: { code: number; error_subcode: number }): string {
  return JSON.stringify({ error: { message: 'Demonstração', type: 'OAuthException', ...error } })
}

function answer(status: number, body: string): Answer {
  return { kind: 'answer', status, headers: MARK, body }
}

function isOneIn(many: number, text: string): boolean {
  return numberOf(text) % many === 0
}

function numberOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE()
}
