import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#contract/durations.ts'
import { outcomeOf } from '#contract/server-event.ts'
import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logging/logger.ts'
import type { OutgoingClient } from '../http/outgoing.ts'
import {
  backOffBy,
  type Channel,
  type ChannelWork,
  endOf,
  type Outcome,
  type RoundDeps,
  type RoundEnd,
  settled,
  untouched,
} from '../outbox/channel.ts'
import { type Claim, makeDue } from '../outbox/queue.ts'
import { runRound } from '../outbox/worker.ts'
import { storeRequests } from './confirmations.ts'
import { recordResults, type Stop } from './delivery-results.ts'
import {
  type EventPayload,
  type EventVerdict,
  isSendable,
  type Job,
  type Target,
  unconfirmedTexts,
  type Verdict,
  withoutEmail,
} from './destinations/destination.ts'
import { type OutcomeTargets, type RecordedChoice, readOutcomeTargets } from './outcome-deliveries.ts'
import { sendEvents } from './send-events.ts'
import { maySendEmail } from './sign-up-email.ts'
import { beginProbe, listSending, readTarget, type SendingPixel, type TargetDeps } from './targets.ts'

const BACK_OFF = backOffBy([
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
])

/** Rounds of a pixel at once. */
export const ROUNDS = 3

interface ConversionChannelDeps extends Omit<TargetDeps, 'db'> {
  client: OutgoingClient
  log: Pick<Logger, 'warn'>
  /** Called in the transaction that stops a pixel's sending, so that administrators are informed. */
  onStopped?: (
    trx: Db,
    pixel: { id: string; name: string },
    stop: Stop,
    expiresAt: string | null,
  ) => Promise<void>
  onSettled?: (destination: string, state: Outcome['state']) => void
}

/** Lanes for visitors' events: one per pixel. */
export function conversionChannel(deps: ConversionChannelDeps): Channel {
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

async function runPixel(
  deps: ConversionChannelDeps,
  round: RoundDeps,
  pixel: SendingPixel,
): Promise<RoundEnd> {
  const target = await readTarget({ ...deps, db: round.db }, pixel.id)
  if (target === null) return 'done'
  if (pixel.isProbe && !(await beginProbe(round.db, pixel.id, round.now()))) return 'done'
  const seen: Seen = { stop: null, isFirst: false, requests: [] }
  const outcomes = await runRound(round, workOf(deps, round, target, pixel, seen))
  for (const { state, isUntouched } of outcomes)
    if (!isUntouched) deps.onSettled?.(target.destination.id, state)
  if (seen.stop !== null && seen.isFirst)
    deps.log.warn({ pixel: pixel.id, reason: seen.stop.code }, 'outbox: sending stopped for a pixel')
  if (!pixel.isProbe) return seen.stop === null ? endOf(outcomes) : 'done'
  if (outcomes.some(({ state }) => state === 'accepted'))
    await makeDue(round.db, { pixelId: pixel.id }, round.now())
  return 'done'
}

/** What a round learnt beside the outcomes. */
interface Seen {
  stop: Stop | null
  isFirst: boolean
  requests: readonly SentRequest[]
}

function workOf(
  { client, onStopped }: ConversionChannelDeps,
  { db, now }: RoundDeps,
  target: Target,
  pixel: SendingPixel,
  seen: Seen,
): ChannelWork<Job> {
  const { id: pixelId, isProbe } = pixel
  const { batch, parallel, atMostOnce } = target.destination
  return {
    scope: { pixelId },
    limit: isProbe ? 1 : batch * parallel,
    atMostOnce,
    backOff: BACK_OFF,
    async attempt(claims, signal) {
      const { outcomes, stop, requests } = await attemptEvents(
        { db, now, pixelId, client, target, signal },
        claims,
      )
      seen.stop = stop
      seen.requests = requests
      return outcomes
    },
    async record(trx, outcomes, isOurs) {
      const { stop } = seen
      seen.isFirst = false
      const ours = new Set(outcomes.filter(isOurs).map(({ job }) => job.id))
      const requests = seen.requests.map(({ id, jobs }) => ({
        id,
        events: jobs.filter((job) => ours.has(job.id)).length,
      }))
      await storeRequests(trx, { pixelId, destination: target.destination, requests, now: now() })
      await recordResults(trx, { pixelId, outcomes, isOurs, stop, now: now() }, async () => {
        seen.isFirst = true
        if (stop !== null) await onStopped?.(trx, pixel, stop, await findFirstExpiry(trx, pixelId))
      })
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

/** How soon a job is tried again whose consent record has not arrived yet. */
const EARLY_MS = 2_000

interface AttemptDeps {
  db: Db
  now: () => number
  pixelId: string
  client: OutgoingClient
  target: Target
  signal: AbortSignal
}

/** Checks consent again, drops expired jobs and sends the rest. */
async function attemptEvents(
  { db, now, pixelId, ...sending }: AttemptDeps,
  claims: readonly Claim[],
): Promise<Sent> {
  const hasOutcome = claims.some(({ event }) => outcomeOf(event ?? '') !== null)
  const outcomes = hasOutcome ? (await readOutcomeTargets(db, pixelId)).get(pixelId) : undefined
  const toJob = (claim: Claim) => asJob(claim, outcomes)
  const [maybeSent, rest] = split(claims, (claim) => claim.maybeSent)
  const [late, inTime] = split(rest.map(toJob), ({ expires_at }) => Date.parse(expires_at) <= now())
  const { target } = sending
  const { granted, withheld, early, unmatched } = await checkConsent(db, target, inTime, now())
  const [ready, switchedOff] = split(granted, (job) => isSendable(target.destination, target.eventIds, job))
  const sent = await Promise.all(
    chunk(ready, target.destination.batch).map((jobs) => sendBatch(sending, jobs)),
  )
  return {
    stop: sent.find(({ stop }) => stop !== null)?.stop ?? null,
    requests: sent.flatMap(({ requests }) => requests),
    outcomes: [
      ...maybeSent.map((claim) =>
        settled(toJob(claim), 'unconfirmed', 'interrompido', unconfirmedTexts(target.destination).attempt),
      ),
      ...late.map((job) => settled(job, 'expired', 'prazo', 'O evento expirou antes de ser enviado.')),
      ...withheld.map((job) =>
        settled(
          job,
          'withheld',
          'consentimento',
          'Não enviado: o visitante retirou o consentimento antes do envio.',
        ),
      ),
      ...early.map((job) => untouched(job, EARLY_MS)),
      ...unmatched.map((job) =>
        settled(
          job,
          'withheld',
          'e-mail',
          'Não enviado: sem o e-mail, que não pode mais ser enviado, a plataforma não reconheceria ninguém.',
        ),
      ),
      ...switchedOff.map((job) =>
        settled(job, 'withheld', 'desligado', 'Não enviado: este evento foi desligado antes do envio.'),
      ),
      ...sent.flatMap(({ outcomes }) => outcomes),
    ],
  }
}

/** Rows of a pixel have all fields of an event. How an outcome is sent is read now, so that changes take effect at once. */
function asJob({ payload: text, ...claim }: Claim, outcomes: OutcomeTargets | undefined): Job {
  const payload = JSON.parse(text) as EventPayload
  const name = outcomeOf(claim.event ?? '')
  if (name === null) return { ...claim, payload } as Job
  const { event = '', sendsValue = false } = outcomes?.get(name) ?? {}
  const value = sendsValue ? (payload.value ?? null) : null
  return { ...claim, payload, outcome: { event, value } } as Job
}

function split<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

/** A request that the vendor accepted, under its ID. */
interface SentRequest {
  id: string
  jobs: readonly Job[]
}

interface Sent {
  outcomes: Outcome<Job>[]
  stop: Stop | null
  /** Those to ask about later. */
  requests: readonly SentRequest[]
}

const NOTHING_SENT: Sent = { outcomes: [], stop: null, requests: [] }

interface SendDeps {
  client: OutgoingClient
  target: Target
  signal: AbortSignal
}

/**
 * Sends jobs in one request and returns an outcome for each. A request that is refused for one bad event is halved
 * until that event is alone. After a stop the rest waits.
 */
async function sendBatch(deps: SendDeps, jobs: readonly Job[]): Promise<Sent> {
  const { client, target, signal } = deps
  const { answer, verdict } = await sendEvents(client, target, jobs, signal)
  if (verdict.kind === 'without_email') {
    const again = jobs.map((job) =>
      job.payload.email === undefined ? null : withoutEmail(target.destination, job),
    )
    const bare = again.filter((job) => job !== null)
    const sent = bare.length === 0 ? NOTHING_SENT : await sendBatch(deps, bare)
    const refusal = { ...verdict, kind: 'settled', state: 'refused' } as const
    const refused = jobs.filter((_, index) => again[index] === null).map((job) => toOutcome(job, refusal))
    return { ...sent, outcomes: [...refused, ...sent.outcomes] }
  }
  if (verdict.kind !== 'split') {
    const isAccepted = verdict.kind === 'settled' && verdict.state !== 'refused'
    const id =
      isAccepted && answer.kind === 'answer' ? target.destination.confirmation?.idOf(answer) : undefined
    return { ...spread(jobs, verdict), requests: id ? [{ id, jobs }] : [] }
  }
  const middle = Math.ceil(jobs.length / 2)
  const first = await sendBatch(deps, jobs.slice(0, middle))
  const rest = jobs.slice(middle)
  if (first.stop !== null)
    return { ...first, outcomes: [...first.outcomes, ...rest.map((job) => untouched(job))] }
  const second = await sendBatch(deps, rest)
  return {
    outcomes: [...first.outcomes, ...second.outcomes],
    stop: second.stop,
    requests: [...first.requests, ...second.requests],
  }
}

/** The outcome of each job. */
function spread(
  jobs: readonly Job[],
  verdict: Exclude<Verdict, { kind: 'split' | 'without_email' }>,
): Omit<Sent, 'requests'> {
  if (verdict.kind === 'interrupted') return { outcomes: jobs.map((job) => untouched(job)), stop: null }
  const verdicts = verdict.kind === 'each' ? verdict.verdicts : jobs.map(() => verdict)
  const stop = verdicts.find(({ kind }) => kind === 'stop')
  return {
    outcomes: jobs.map((job, index) => toOutcome(job, verdicts[index])),
    stop: stop?.kind === 'stop' ? { code: stop.code, message: stop.message } : null,
  }
}

function toOutcome(job: Job, verdict: EventVerdict | undefined): Outcome<Job> {
  // The vendor answered for fewer events than it got.
  if (verdict === undefined) return untouched(job, MINUTE_MS)
  const { answer, message } = verdict
  const said = { job, answer, message, isUntouched: false }
  if (verdict.kind === 'settled')
    return { ...said, state: verdict.state, reason: verdict.reason, afterMs: null }
  return { ...said, state: 'waiting', reason: '', afterMs: verdict.kind === 'retry' ? verdict.afterMs : null }
}

/** The page sends the consent record and the first event at the same moment, so the record may arrive second. */
const RECORD_GRACE_MS = 2 * MINUTE_MS

/** SQLite allows at most 500 parts in one statement. */
const IDS_PER_STATEMENT = 100

interface Checked {
  granted: Job[]
  /** The vendor could match them to nobody without the address, which may not be sent. */
  unmatched: Job[]
  /** The newest record does not allow it, or there is none. */
  withheld: Job[]
  /** There is no record yet. */
  early: Job[]
}

/** Reads the newest consent record of each visitor right before sending. The cookie alone is not enough. */
export async function checkConsent(
  db: Db,
  target: Pick<Target, 'destination' | 'sendsEmail'>,
  jobs: readonly Job[],
  now: number,
): Promise<Checked> {
  const newest = await readNewestChoices(
    db,
    jobs.map(({ consent_id }) => consent_id),
  )
  const checked: Checked = { granted: [], unmatched: [], withheld: [], early: [] }
  for (const job of jobs) {
    const choice = newest.get(job.consent_id)
    if (choice?.granted.includes(job.category)) {
      const allowed = withoutRefused(target, job, choice, now)
      if (allowed === null) checked.unmatched.push(job)
      else checked.granted.push(allowed)
    } else if (choice === undefined && now - Date.parse(job.created_at) < RECORD_GRACE_MS)
      checked.early.push(job)
    else checked.withheld.push(job)
  }
  return checked
}

/**
 * A visitor may have refused marketing since, but not the category of the destination; or chosen on a text that does not
 * name it. Null if nothing is left by which the vendor could match the event.
 */
function withoutRefused(
  target: Pick<Target, 'destination' | 'sendsEmail'>,
  job: Job,
  choice: RecordedChoice,
  now: number,
): Job | null {
  const { destination } = target
  const marketing = job.payload.marketing && choice.granted.includes('marketing')
  const allowed = { ...job, payload: { ...job.payload, marketing } }
  const isTooOld = now - job.payload.at > (destination.email?.oldestMs ?? Number.POSITIVE_INFINITY)
  const of = job.outcome === undefined ? 'subscriber' : 'customer'
  return maySendEmail(target, choice, of) && !isTooOld ? allowed : withoutEmail(destination, allowed)
}

/** Each visitor's newest choice, by consent id. */
export async function readNewestChoices(
  db: Db,
  consentIds: readonly string[],
): Promise<ReadonlyMap<string, RecordedChoice>> {
  const ids = [...new Set(consentIds)]
  const newest = new Map<string, RecordedChoice>()
  for (let at = 0; at < ids.length; at += IDS_PER_STATEMENT)
    for (const row of await readNewest(db, ids.slice(at, at + IDS_PER_STATEMENT)))
      newest.set(row.consent_id, { textVersion: row.text_version, granted: row.categories })
  return newest
}

/** One row per id, by index: anybody can create thousands of records with one id. */
async function readNewest(db: Db, ids: readonly string[]) {
  const newestOf = (id: string) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom('consent_records')
          .select(['consent_id', 'categories', 'text_version'])
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
