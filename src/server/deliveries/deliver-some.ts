import { CHANNELS } from './channels.ts'
import { checkConsent } from './check-consent.ts'
import { claimDue } from './claim-due.ts'
import { GOOGLE_NEVER_TELLS } from './destinations/google-analytics.ts'
import type { Job } from './job.ts'
import type { OutgoingClient } from './outgoing-client.ts'
import { readTarget, type TargetDeps } from './read-target.ts'
import { sendBatch, untouched } from './send-batch.ts'
import { type Outcome, type Stop, settleJobs } from './settle-jobs.ts'

/** A choice whose record is on its way: looked at again. */
const EARLY_MS = 2_000

interface RoundDeps extends TargetDeps {
  client: OutgoingClient
  now: () => number
  leaseMs: number
  signal: AbortSignal
}

export interface Round {
  outcomes: Outcome[]
  stop: Stop | null
  isFirstToStop: boolean
}

const NOTHING: Round = { outcomes: [], stop: null, isFirstToStop: false }

/** One round for one pixel: claims what is due, asks for consent again, sends, and writes down what became of it. */
export async function deliverSome(deps: RoundDeps, pixelId: string): Promise<Round> {
  const { db, now, leaseMs } = deps
  const target = await readTarget(deps, pixelId)
  if (target === null) return NOTHING
  const channel = CHANNELS[target.kind]
  const claimed = await claimDue(db, {
    pixelId,
    now: now(),
    limit: channel.batch * channel.parallel,
    leaseMs,
    atMostOnce: channel.atMostOnce,
  })
  if (claimed.jobs.length + claimed.maybeSent.length === 0) return NOTHING
  const [late, inTime] = split(claimed.jobs, ({ expires_at }) => Date.parse(expires_at) <= now())
  const { granted, withheld, early } = await checkConsent(db, inTime, now())
  const batches = chunk(granted, channel.batch)
  const sent = await Promise.all(
    batches.map((jobs) => sendBatch({ client: deps.client, channel, target, signal: deps.signal }, jobs)),
  )
  const outcomes: Outcome[] = [
    ...claimed.maybeSent.map((job) => settled(job, 'unconfirmed', 'interrompido', GOOGLE_NEVER_TELLS)),
    ...late.map((job) =>
      settled(job, 'expired', 'prazo', 'O prazo em que o destino aceita o evento passou antes do envio.'),
    ),
    ...withheld.map((job) =>
      settled(job, 'withheld', 'consentimento', 'Não enviado: o consentimento foi retirado antes do envio.'),
    ),
    ...early.map((job) => ({ ...untouched(job), afterMs: EARLY_MS })),
    ...sent.flatMap(({ outcomes: some }) => some),
  ]
  const stop = sent.find((batch) => batch.stop !== null)?.stop ?? null
  const isFirstToStop = await settleJobs(db, pixelId, outcomes, stop, now())
  return { outcomes, stop, isFirstToStop }
}

function settled(job: Job, state: Outcome['state'], answer: string, message: string): Outcome {
  return { job, state, reason: '', answer, message, afterMs: null, isUntouched: false }
}

function split<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
