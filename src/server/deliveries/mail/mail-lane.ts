import { once } from 'node:events'
import type { SecretPort } from '#server/db/secret-port.ts'
import type { Logger } from '#server/http/logger.ts'
import { backOffBy, MINUTE_MS, SECOND_MS } from '../back-off.ts'
import { type Claim, findDue } from '../claim-due.ts'
import type { Lane, LaneSource, Outcome } from '../lane.ts'
import { endOf, settled, untouched } from '../outcome.ts'
import { runRound } from '../run-round.ts'
import { mailPlace, type QueuedMail } from './queue-mail.ts'

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
