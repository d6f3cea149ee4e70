import { once } from 'node:events'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#contract/durations.ts'
import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logging/logger.ts'
import { backOffBy, type Channel, type Outcome, settled, untouched } from '../outbox/channel.ts'
import { decryptContent, enqueueEncrypted } from '../outbox/enqueue.ts'
import type { Claim } from '../outbox/queue.ts'
import { singleLaneChannel } from '../outbox/single-lane.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { MailToSend, OutgoingMail } from './transport.ts'

/** A mail server accepts few connections from one sender. */
const CONCURRENCY = 5

const BACK_OFF = backOffBy([
  SECOND_MS,
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
])

/** A notice is not useful for longer than a day. */
const USEFUL_MS = 24 * HOUR_MS

export interface MailChannelDeps {
  secrets: Secrets
  /** Sends one message, or throws. */
  send: (mail: OutgoingMail) => Promise<void>
  log: Pick<Logger, 'warn' | 'error'>
  onSettled?: (state: Outcome['state']) => void
}

/** Sends an email until the mail server accepts it, refuses it for good, or it expires. */
export function mailChannel(deps: MailChannelDeps): Channel {
  return singleLaneChannel({
    kind: 'mail',
    limit: CONCURRENCY,
    rounds: 2,
    backOff: BACK_OFF,
    drainsAtStop: true,
    attempt: (claims, { now, signal }) =>
      Promise.all(claims.map((claim) => attempt(deps, claim, now(), signal))),
    onSettled: (outcomes) => {
      for (const { state, isUntouched } of outcomes) if (!isUntouched) deps.onSettled?.(state)
    },
  })
}

/** Stores an email in the transaction of its cause. It is deleted with its job after sending. */
export function storeMail(
  trx: Db,
  secrets: Secrets,
  { usefulMs = USEFUL_MS, ...mail }: MailToSend,
  now = Date.now(),
): Promise<void> {
  return enqueueEncrypted(trx, secrets, { kind: 'mail', content: mail, expiresAt: now + usefulMs }, now)
}

async function attempt(
  { secrets, send, log }: MailChannelDeps,
  claim: Claim,
  now: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const { expires_at } = claim
  if (expires_at !== null && Date.parse(expires_at) <= now) {
    log.error({ attempts: claim.attempts - 1 }, 'email expired before it was sent')
    return settled(claim, 'expired', '', '')
  }
  let kind = ''
  try {
    const mail = await decryptContent<OutgoingMail>(secrets, claim)
    kind = mail.kind
    return (await unlessAborted(send(mail), signal)) ? settled(claim, 'accepted', '', '') : untouched(claim)
  } catch (error) {
    const { permanent, ...failure } = describe(error)
    const answer = String(failure.responseCode ?? failure.code ?? '')
    if (permanent) {
      log.error({ kind, ...failure }, 'email refused')
      return settled(claim, 'refused', answer, '')
    }
    log.warn({ kind, ...failure }, 'email not sent, will retry')
    return { ...untouched(claim), answer, isUntouched: false }
  }
}

/** An SMTP conversation cannot be stopped: when it is cut off, the job is returned and the email may arrive twice. */
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
  /** Trying later will not help. */
  permanent: boolean
}

/** Codes only: the text of a refusal often repeats the address. */
function describe(error: unknown): Failure {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  return {
    ...(code === undefined ? {} : { code }),
    ...(responseCode === undefined ? {} : { responseCode }),
    permanent: responseCode !== undefined && responseCode >= 500,
  }
}
