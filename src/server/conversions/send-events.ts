import { MINUTE_MS } from '#contract/durations.ts'
import type { Answer, OutgoingClient } from '../http/outgoing.ts'
import {
  type Confirmation,
  type Job,
  judgeAnswer,
  type OutgoingRequest,
  sha256,
  type Target,
  type TestMode,
  type TokenExchange,
  type Verdict,
} from './destinations/destination.ts'

interface SentEvents {
  request: OutgoingRequest
  answer: Answer
  verdict: Verdict
}

/** Sends events of one pixel in one request, and reads the answer. */
export async function sendEvents(
  client: OutgoingClient,
  target: Target,
  jobs: readonly Job[],
  signal: AbortSignal,
  test?: TestMode,
): Promise<SentEvents> {
  const { destination } = target
  const makeRequest = (secret: string) => destination.request({ ...target, secret }, jobs, test)
  const called = await callWithToken(client, target, signal, async (secret): Promise<SentEvents> => {
    const request = makeRequest(secret)
    const answer = await post(client, request, signal)
    return { request, answer, verdict: judgeAnswer(destination, answer, jobs.length) }
  })
  return 'request' in called ? called : { request: makeRequest(''), ...called }
}

/** Asks what became of the events of a request that the vendor accepted. */
export async function askConfirmation(
  client: OutgoingClient,
  target: Target,
  { request, read }: Confirmation,
  { id, events }: { id: string; events: number },
  signal: AbortSignal,
): Promise<ReturnType<Confirmation['read']> | Verdict> {
  const { verdict } = await callWithToken(client, target, signal, async (secret) => {
    const { url, headers } = request({ ...target, secret }, id)
    const answer = await client.get(url, headers, signal)
    return {
      answer,
      verdict: answer.kind === 'interrupted' ? ({ kind: 'interrupted' } as const) : read(answer, events),
    }
  })
  return verdict
}

type NoToken = Omit<SentEvents, 'request'>

/** Calls with the secret, or with the token that the vendor gives for it: once more if that was refused. */
async function callWithToken<Called extends { answer: Answer }>(
  client: OutgoingClient,
  { destination: { exchange }, secret }: Target,
  signal: AbortSignal,
  call: (secret: string) => Promise<Called>,
): Promise<Called | NoToken> {
  if (exchange === undefined) return call(secret)
  const first = await readToken(client, exchange, secret, signal)
  if (typeof first !== 'string') return first
  const called = await call(first)
  if (called.answer.kind !== 'answer' || called.answer.status !== 401) return called
  // The token may have been revoked before its time.
  tokens.delete(sha256(secret))
  const second = await readToken(client, exchange, secret, signal)
  return typeof second === 'string' ? call(second) : second
}

/** By the hash of the secret. Each process has its own. */
const tokens = new Map<string, { token: string; until: number }>()

const MAX_TOKENS = 100

/** A token that ends while its request is on the way would be refused. */
const SPARE_MS = MINUTE_MS

async function readToken(
  client: OutgoingClient,
  exchange: TokenExchange,
  secret: string,
  signal: AbortSignal,
): Promise<string | NoToken> {
  const key = sha256(secret)
  const now = Date.now()
  const known = tokens.get(key)
  if (known !== undefined && now < known.until) return known.token
  const answer = await post(client, await exchange.request(secret, now), signal)
  if (answer.kind === 'interrupted') return { answer, verdict: { kind: 'interrupted' } }
  const read = exchange.read(answer)
  if (!('token' in read)) return { answer, verdict: read }
  if (tokens.size >= MAX_TOKENS) tokens.clear()
  tokens.set(key, { token: read.token, until: now + read.lastsMs - SPARE_MS })
  return read.token
}

function post(
  client: OutgoingClient,
  { url, headers, body }: OutgoingRequest,
  signal: AbortSignal,
): Promise<Answer> {
  return client.post(url, headers, typeof body === 'string' ? body : JSON.stringify(body), signal)
}
