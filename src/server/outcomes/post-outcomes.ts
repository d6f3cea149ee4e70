import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  OUTCOMES_PATH,
  type OutcomeMode,
  type OutcomeResult,
  type OutcomeResults,
} from '#contract/outcomes.ts'
import { readNewestChoices } from '../conversions/channel.ts'
import { planDeliveries } from '../conversions/outcome-deliveries.ts'
import type { ServerPixelList } from '../conversions/targets.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/errors.ts'
import { BODY_BYTES, OUTCOME_RATE, OUTCOMES } from '../http/limits/limits.ts'
import { limitPublicCall, type PublicLimits } from '../http/limits/public.ts'
import type { Stats } from '../stats/counts.ts'
import { findKey } from './keys.ts'
import { listNames } from './names.ts'
import { type Outcome, type ReadOutcome, readable, readOutcome } from './read-outcome.ts'
import { type NewOutcome, OutcomeWriter, type Stored } from './store.ts'
import { noteTestCalls } from './test-calls.ts'
import { findVisit, type Visit } from './visit-codes.ts'

export interface OutcomeDeps {
  db: Db
  /** The pixels whose destinations get outcomes. */
  pixels: ServerPixelList
  limits: PublicLimits
  stats: Stats
}

interface CallKey {
  id: string
  mode: OutcomeMode
}

/**
 * `POST /api/outcomes`: the customer's own system reports what happened after the click. For servers only; everything is
 * durable before the answer.
 */
export function registerOutcomes(app: FastifyInstance, deps: OutcomeDeps): void {
  const { db, limits } = deps
  const writer = new OutcomeWriter(db)
  const keys = new WeakMap<FastifyRequest, CallKey>()

  app.post(
    OUTCOMES_PATH,
    {
      bodyLimit: BODY_BYTES.outcomes,
      // Before the body is read.
      onRequest: async (request) => {
        keys.set(request, await admit(deps, request))
      },
    },
    async (request, reply): Promise<OutcomeResults> => {
      const key = keys.get(request)
      if (key === undefined) throw new Error('a call was not admitted')
      const items = readItems(request.body)
      const wait = limits.take(`outcomes:${key.id}`, OUTCOME_RATE, { by: items.length })
      if (wait !== null)
        throw new AppError(429, 'too_many_requests', 'Too many outcomes of this key', {
          retryAfterSeconds: wait,
        })
      const results = await receive({ ...deps, writer }, key.mode, items)
      reply.header('cache-control', 'no-store')
      return { results }
    },
  )
}

/** Browsers name the page that calls: a key in a page would be everybody's. */
async function admit({ db, limits }: OutcomeDeps, request: FastifyRequest): Promise<CallKey> {
  const { origin, authorization, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined || site !== undefined)
    throw new AppError(403, 'servers_only', 'Only servers may call this: a key in a page is public')
  const key = await findKey(db, authorization)
  if (key !== null) return key
  limitPublicCall(limits, request, 'outcome-unknown')
  throw new AppError(
    401,
    'unauthorized',
    'Send a valid key: Authorization: Bearer prt_live_… or prt_test_…',
    {
      headers: { 'www-authenticate': 'Bearer' },
    },
  )
}

function readItems(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) {
    if (body.length === 0 || body.length > OUTCOMES.perCall)
      throw new AppError(400, 'bad_request', `Send 1 to ${OUTCOMES.perCall} outcomes`)
    return body
  }
  if (typeof body !== 'object' || body === null)
    throw new AppError(400, 'bad_request', 'Send an outcome as a JSON object, or an array of them')
  return [body]
}

/** One result per item, in their order. */
async function receive(
  { db, pixels, stats, writer }: OutcomeDeps & { writer: OutcomeWriter },
  mode: OutcomeMode,
  items: readonly unknown[],
): Promise<OutcomeResult[]> {
  const now = Date.now()
  const names = new Set((await listNames(db)).map(({ name }) => name))
  const read = items.map((item) => readOutcome(item, names, now))
  const codes = new Set(read.flatMap((each) => ('outcome' in each ? (each.outcome.visit ?? []) : [])))
  const visits = new Map(
    await Promise.all([...codes].map(async (code) => [code, await findVisit(db, code, now)] as const)),
  )
  const deliveriesOf = await planFor({ db, pixels, now }, mode, [...visits.values()])
  const rows = read.map((each): NewOutcome | null => {
    if (!('outcome' in each)) return null
    const { outcome } = each
    const visit = visits.get(outcome.visit ?? '') ?? null
    const deliveries = visit === null ? null : deliveriesOf(outcome, visit)
    const source = visit === null ? null : { channel: visit.channel, campaign: visit.campaign }
    return { mode, outcome, isTied: visit !== null, source, deliveries }
  })
  const valid = rows.filter((row) => row !== null)
  const stored = valid.length === 0 ? new Map<NewOutcome, Stored>() : await writer.write(valid)
  const results = read.map((each, index) => toResult(each, rows[index] ?? null, stored, items[index]))
  for (const [index, each] of read.entries()) {
    if ('outcome' in each) continue
    const name = readable(items[index], 'name') ?? ''
    stats.add({ series: 'outcome', subject: names.has(name) ? name : '', key: `${mode} refused`, at: now })
  }
  if (mode === 'test') await noteTestCalls(db, items, results, now)
  return results
}

/** What destinations get of an outcome. Test keys deliver nothing. */
async function planFor(
  { db, pixels, now }: Pick<OutcomeDeps, 'db' | 'pixels'> & { now: number },
  mode: OutcomeMode,
  visits: readonly (Visit | null)[],
): Promise<(outcome: Outcome, visit: Visit) => NewOutcome['deliveries']> {
  const ids = visits.flatMap((visit) => visit?.consentId ?? [])
  if (mode === 'test' || ids.length === 0) return () => null
  const [{ all }, choices] = await Promise.all([pixels.current(), readNewestChoices(db, ids)])
  return (outcome, visit) =>
    planDeliveries(all, { ...outcome, visit, choice: choices.get(visit.consentId) }, now)
}

function toResult(
  read: ReadOutcome,
  row: NewOutcome | null,
  stored: ReadonlyMap<NewOutcome, Stored>,
  item: unknown,
): OutcomeResult {
  if ('refusal' in read) return { id: readable(item, 'id'), status: 'refused', ...read.refusal }
  const { id } = read.outcome
  const result = row === null ? undefined : stored.get(row)
  if (row === null || result === undefined) throw new Error('an outcome has no result')
  if (result === 'conflict')
    return {
      id,
      status: 'refused',
      code: 'conflict',
      field: 'id',
      message: 'This id was sent before with other content',
    }
  if (result === 'duplicate') return { id, status: 'duplicate' }
  return { id, status: row.isTied ? 'accepted' : 'no_visit' }
}
