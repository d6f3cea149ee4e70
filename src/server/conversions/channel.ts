import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logging/logger.ts'
import type { OutgoingClient } from '../http/outgoing.ts'
import {
  backOffBy,
  endOf,
  HOUR_MS,
  type LaneSource,
  type LaneWork,
  MINUTE_MS,
  type Outcome,
  type RoundDeps,
  type RoundEnd,
  SECOND_MS,
  settled,
  untouched,
} from '../outbox/channel.ts'
import { type Claim, makeDue } from '../outbox/queue.ts'
import { runRound } from '../outbox/worker.ts'
import {
  type EventPayload,
  type Job,
  judgeAnswer,
  type Target,
  unconfirmedTexts,
  type Verdict,
} from './destinations/destination.ts'
import { recordOutcomes, type Stop } from './outcomes.ts'
import { beginProbe, listSending, readTarget, type SendingPixel, type TargetDeps } from './targets.ts'

const BACK_OFF = backOffBy([
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
])

const ROUNDS = 3

interface PixelLaneDeps extends Omit<TargetDeps, 'db'> {
  client: OutgoingClient
  log: Pick<Logger, 'warn'>
  /** A pixel's sending stopped: somebody has to know. In the transaction that stops it. */
  onStopped?: (
    trx: Db,
    pixel: { id: string; name: string },
    stop: Stop,
    expiresAt: string | null,
  ) => Promise<void>
  onSettled?: (destination: string, state: Outcome['state']) => void
}

/** Events of visitors: each pixel is a lane of its own. */
export function pixelLanes(deps: PixelLaneDeps): LaneSource {
  return {
    async list(db, now) {
      const pixels = await listSending(db, now)
      return pixels.map((pixel) => ({
        key: pixel.id,
        due: pixel.due,
        longestDelayMs: BACK_OFF.longestMs,
        rounds: ROUNDS,
        run: (round) => runPixel(deps, round, pixel),
      }))
    },
  }
}

async function runPixel(deps: PixelLaneDeps, round: RoundDeps, pixel: SendingPixel): Promise<RoundEnd> {
  const target = await readTarget({ ...deps, db: round.db }, pixel.id)
  if (target === null) return 'done'
  if (pixel.isProbe && !(await beginProbe(round.db, pixel.id, round.now()))) return 'done'
  const seen: { stop: Stop | null; isFirst: boolean } = { stop: null, isFirst: false }
  const outcomes = await runRound(round, workOf(deps, round, target, pixel, seen))
  for (const { state, isUntouched } of outcomes)
    if (!isUntouched) deps.onSettled?.(target.destination.id, state)
  if (seen.stop !== null && seen.isFirst)
    deps.log.warn({ pixel: pixel.id, reason: seen.stop.code }, 'deliveries: sending for a pixel stopped')
  if (!pixel.isProbe) return seen.stop === null ? endOf(outcomes) : 'done'
  if (outcomes.some(({ state }) => state === 'accepted'))
    await makeDue(round.db, { pixelId: pixel.id }, round.now())
  return 'done'
}

function workOf(
  { client, onStopped }: PixelLaneDeps,
  { db, now }: RoundDeps,
  target: Target,
  pixel: SendingPixel,
  seen: { stop: Stop | null; isFirst: boolean },
): LaneWork<Job> {
  const { id: pixelId, isProbe } = pixel
  const { batch, parallel, atMostOnce } = target.destination
  return {
    scope: { pixelId },
    limit: isProbe ? 1 : batch * parallel,
    atMostOnce,
    backOff: BACK_OFF,
    async attempt(claims, signal) {
      const { outcomes, stop } = await attemptEvents({ db, now, client, target, signal }, claims)
      seen.stop = stop
      return outcomes
    },
    async record(trx, outcomes, isOurs) {
      seen.isFirst = await recordOutcomes(trx, { pixelId, outcomes, isOurs, stop: seen.stop, now: now() })
      if (seen.stop !== null && seen.isFirst)
        await onStopped?.(trx, pixel, seen.stop, await findFirstExpiry(trx, pixelId))
    },
  }
}

async function findFirstExpiry(db: Db, pixelId: string): Promise<string | null> {
  const row = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.min('expires_at').as('first'))
    .where('pixel_id', '=', pixelId)
    .executeTakeFirstOrThrow()
  return row.first
}

/** A choice whose record is on its way: looked at again. */
const EARLY_MS = 2_000

interface AttemptDeps {
  db: Db
  now: () => number
  client: OutgoingClient
  target: Target
  signal: AbortSignal
}

/** Asks for consent again, and tells the vendor of what it allows and is still of use. */
async function attemptEvents(
  { db, now, ...sending }: AttemptDeps,
  claims: readonly Claim[],
): Promise<{ outcomes: Outcome<Job>[]; stop: Stop | null }> {
  const [maybeSent, rest] = split(claims, (claim) => claim.maybeSent)
  const [late, inTime] = split(rest.map(toJob), ({ expires_at }) => Date.parse(expires_at) <= now())
  const { granted, withheld, early } = await checkConsent(db, inTime, now())
  const sent = await Promise.all(
    chunk(granted, sending.target.destination.batch).map((jobs) => sendBatch(sending, jobs)),
  )
  return {
    stop: sent.find(({ stop }) => stop !== null)?.stop ?? null,
    outcomes: [
      ...maybeSent.map((claim) =>
        settled(
          toJob(claim),
          'unconfirmed',
          'interrompido',
          unconfirmedTexts(sending.target.destination).attempt,
        ),
      ),
      ...late.map((job) =>
        settled(job, 'expired', 'prazo', 'O prazo em que o destino aceita o evento passou antes do envio.'),
      ),
      ...withheld.map((job) =>
        settled(
          job,
          'withheld',
          'consentimento',
          'Não enviado: o consentimento foi retirado antes do envio.',
        ),
      ),
      ...early.map((job) => untouched(job, EARLY_MS)),
      ...sent.flatMap(({ outcomes }) => outcomes),
    ],
  }
}

/** Rows of a pixel have all that an event has. */
function toJob({ payload, ...claim }: Claim): Job {
  return { ...claim, payload: JSON.parse(payload) as EventPayload } as Job
}

function split<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

interface Sent {
  outcomes: Outcome<Job>[]
  stop: Stop | null
}

interface SendDeps {
  client: OutgoingClient
  target: Target
  signal: AbortSignal
}

/**
 * Sends jobs in one request and says what became of each. A request that is refused for one bad event is halved until
 * that one stands alone; once the vendor stops us, the rest waits.
 */
async function sendBatch(deps: SendDeps, jobs: readonly Job[]): Promise<Sent> {
  const verdict = await send(deps, jobs)
  if (verdict.kind !== 'split') return spread(jobs, verdict)
  const middle = Math.ceil(jobs.length / 2)
  const first = await sendBatch(deps, jobs.slice(0, middle))
  const rest = jobs.slice(middle)
  if (first.stop !== null)
    return { ...first, outcomes: [...first.outcomes, ...rest.map((job) => untouched(job))] }
  const second = await sendBatch(deps, rest)
  return { outcomes: [...first.outcomes, ...second.outcomes], stop: second.stop }
}

async function send({ client, target, signal }: SendDeps, jobs: readonly Job[]): Promise<Verdict> {
  const { destination } = target
  const { url, headers, body } = destination.request(target, jobs)
  const answer = await client.post(url, headers, JSON.stringify(body), signal)
  return judgeAnswer(destination, answer, jobs.length)
}

function spread(jobs: readonly Job[], verdict: Exclude<Verdict, { kind: 'split' }>): Sent {
  if (verdict.kind === 'interrupted') return { outcomes: jobs.map((job) => untouched(job)), stop: null }
  const { answer, message } = verdict
  const said = { answer, message, isUntouched: false }
  if (verdict.kind === 'settled') {
    const { state, reason } = verdict
    return { outcomes: jobs.map((job) => ({ job, state, reason, afterMs: null, ...said })), stop: null }
  }
  const afterMs = verdict.kind === 'retry' ? verdict.afterMs : null
  return {
    outcomes: jobs.map((job) => ({ job, state: 'waiting', reason: '', afterMs, ...said })),
    stop: verdict.kind === 'stop' ? { code: verdict.code, message } : null,
  }
}

/** The page sends the record of a choice and its first event at the same moment: the record may come second. */
const RECORD_GRACE_MS = 2 * 60_000

/** SQLite takes at most 500 parts of one statement. */
const IDS_PER_STATEMENT = 100

interface Checked {
  granted: Job[]
  /** The newest record of the choice does not allow it, or there is none. */
  withheld: Job[]
  /** No record yet. */
  early: Job[]
}

/** Asks, right before sending, what each visitor's newest recorded choice is. What a cookie said is not enough. */
export async function checkConsent(db: Db, jobs: readonly Job[], now: number): Promise<Checked> {
  const ids = [...new Set(jobs.map(({ consent_id }) => consent_id))]
  const newest = new Map<string, readonly string[]>()
  for (let at = 0; at < ids.length; at += IDS_PER_STATEMENT)
    for (const { consent_id, categories } of await readNewest(db, ids.slice(at, at + IDS_PER_STATEMENT)))
      newest.set(consent_id, categories)
  const checked: Checked = { granted: [], withheld: [], early: [] }
  for (const job of jobs) {
    const categories = newest.get(job.consent_id)
    if (categories?.includes(job.category)) checked.granted.push(job)
    else if (categories === undefined && now - Date.parse(job.created_at) < RECORD_GRACE_MS)
      checked.early.push(job)
    else checked.withheld.push(job)
  }
  return checked
}

/** One row for each id, found by index: anybody can have made thousands of records in the name of one. */
async function readNewest(db: Db, ids: readonly string[]) {
  const newestOf = (id: string) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom('consent_records')
          .select(['consent_id', 'categories'])
          .where('consent_id', '=', id)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(1)
          .as('newest'),
      )
      .selectAll()
  const [first, ...others] = ids.map(newestOf)
  if (first === undefined) return []
  return others.reduce((query, other) => query.unionAll(other), first).execute()
}
