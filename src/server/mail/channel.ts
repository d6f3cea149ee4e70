import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Db } from '../db/database.ts'
import { change } from '../db/transactions/change.ts'
import type { Logger } from '../http/logging/logger.ts'
import {
  backOffBy,
  endOf,
  HOUR_MS,
  type Lane,
  type LaneSource,
  MINUTE_MS,
  type Outcome,
  SECOND_MS,
  settled,
  untouched,
} from '../outbox/channel.ts'
import { type Claim, findDue } from '../outbox/queue.ts'
import { runRound } from '../outbox/worker.ts'
import type { SecretPort } from '../secrets/secrets.ts'

/** A mail server takes few connections from one sender. */
const CONCURRENCY = 5

const BACK_OFF = backOffBy([
  SECOND_MS,
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
])

export interface MailLaneDeps {
  secrets: SecretPort
  /** Sends one message, or throws. */
  send: (mail: QueuedMail) => Promise<void>
  log: Pick<Logger, 'warn' | 'error'>
  onSettled?: (state: Outcome['state']) => void
}

/** Mail is sent until the mail server takes it, refuses it for good, or it is of no use any more. */
export function mailLane(deps: MailLaneDeps): LaneSource {
  const run: Lane['run'] = async (round) => {
    const outcomes = await runRound(round, {
      scope: { kind: 'mail' },
      limit: CONCURRENCY,
      atMostOnce: false,
      backOff: BACK_OFF,
      attempt: (claims, signal) =>
        Promise.all(claims.map((claim) => attempt(deps, claim, round.now(), signal))),
    })
    for (const { state, isUntouched } of outcomes) if (!isUntouched) deps.onSettled?.(state)
    return endOf(outcomes)
  }
  const lane = (due: string | null): Lane => ({
    key: 'mail',
    due,
    longestDelayMs: BACK_OFF.longestMs,
    rounds: 2,
    run,
  })
  return {
    list: async (db) => [lane(await findDue(db, 'mail'))],
    last: () => lane(null),
  }
}

async function attempt(
  { secrets, send, log }: MailLaneDeps,
  claim: Claim,
  now: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const { id, sealed, expires_at } = claim
  if (expires_at !== null && Date.parse(expires_at) <= now) {
    log.error({ attempts: claim.attempts - 1 }, 'a mail could not be sent before it was of no use any more')
    return settled(claim, 'expired', '', '')
  }
  let kind = ''
  try {
    const mail = JSON.parse(await secrets.open(mailPlace(id), sealed ?? '')) as QueuedMail
    kind = mail.kind
    return (await unlessAborted(send(mail), signal)) ? settled(claim, 'accepted', '', '') : untouched(claim)
  } catch (error) {
    const { permanent, ...failure } = describe(error)
    const answer = String(failure.responseCode ?? failure.code ?? '')
    if (permanent) {
      log.error({ kind, ...failure }, 'a mail could not be sent')
      return settled(claim, 'refused', answer, '')
    }
    log.warn({ kind, ...failure }, 'a mail could not be sent yet')
    return { ...untouched(claim), answer, isUntouched: false }
  }
}

/** Nothing stops a conversation with a mail server: cut off, the mail is given back, and may arrive twice. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<boolean> {
  const done = new AbortController()
  const cut = once(signal, 'abort', { signal: done.signal }).then(
    () => false,
    () => false,
  )
  try {
    return await Promise.race([work.then(() => true), signal.aborted ? false : cut])
  } finally {
    done.abort()
  }
}

interface Failure {
  code?: string
  responseCode?: number
  /** The mail server will not take it later, either. */
  permanent: boolean
}

/** Codes only: the text of a mail server's refusal often repeats the address. */
function describe(error: unknown): Failure {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  return {
    ...(code === undefined ? {} : { code }),
    ...(responseCode === undefined ? {} : { responseCode }),
    permanent: responseCode !== undefined && responseCode >= 500,
  }
}

/** A mail as it is sent. */
export interface QueuedMail {
  /** Named in logs, where the address is not. */
  kind: string
  to: string
  subject: string
  text: string
  html: string
}

/** News of the day is none the day after. */
const USEFUL_MS = 24 * HOUR_MS

export const mailPlace = (row: string) => ({ table: 'deliveries', column: 'sealed', row })

type MailToQueue = QueuedMail & { usefulMs?: number }

/** Resolves when the mail is durable. */
export async function queueMail(
  { db, secrets }: { db: Db; secrets: SecretPort },
  mail: MailToQueue,
  now = Date.now(),
): Promise<void> {
  await change(db, (trx) => storeMail(trx, secrets, mail, now))
}

/** In the transaction of what it tells of. A mail can hold a link that signs in: nobody who reads the database reads it. */
export async function storeMail(
  trx: Db,
  secrets: SecretPort,
  { usefulMs = USEFUL_MS, ...mail }: MailToQueue,
  now = Date.now(),
): Promise<void> {
  const id = randomUUID()
  const at = new Date(now).toISOString()
  const sealed = await secrets.seal(trx, mailPlace(id), JSON.stringify(mail))
  await trx
    .insertInto('deliveries')
    .values({
      id,
      kind: 'mail',
      payload: '{}',
      sealed,
      next_attempt_at: at,
      created_at: at,
      expires_at: new Date(now + usefulMs).toISOString(),
    })
    .execute()
}
