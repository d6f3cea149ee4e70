import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#server/http/logger.ts'
import type { OutgoingMail, SendMail } from './mail-transport.ts'

/** The work behind an answer begins within this time of it, at a moment that the answer does not tell. */
const MAX_DELAY_MS = 120
const RETRY_AFTER_MS = [1_000, 5_000]
/** What is still on its way when the process stops gets this long. */
const GRACE_MS = 5_000

interface MailQueueOptions {
  send: SendMail
  log: Pick<Logger, 'warn' | 'error'>
  retryAfterMs?: readonly number[]
  graceMs?: number
  /** Resolves when the work behind an answer may begin. */
  begin?: () => Promise<unknown>
}

/**
 * Mail is written after the request that asked for it was answered, so that the time of an answer tells nobody whether
 * an address is known, and handed to `send`: a durable queue, or the mail server itself where there is none. A failure is
 * tried again and, in the end, logged; who asked can ask once more.
 */
export class MailQueue {
  readonly #options: Required<MailQueueOptions>
  readonly #pending = new Set<Promise<void>>()

  constructor(options: MailQueueOptions) {
    this.#options = {
      retryAfterMs: RETRY_AFTER_MS,
      graceMs: GRACE_MS,
      begin: () => sleep(randomInt(MAX_DELAY_MS)),
      ...options,
    }
  }

  /** Runs the work later, and sends every message that it gives back. */
  later(work: () => Promise<OutgoingMail[]>): void {
    const running = this.#run(work).finally(() => this.#pending.delete(running))
    this.#pending.add(running)
  }

  /** Resolves when nothing is on its way any more, or time is up. */
  async close(): Promise<void> {
    const timeUp = new AbortController()
    const grace = sleep(this.#options.graceMs, 'late', { signal: timeUp.signal }).catch(() => 'late')
    const done = this.#settle().then(() => 'done')
    if ((await Promise.race([done, grace])) === 'late')
      this.#options.log.error({ count: this.#pending.size }, 'stopped with mail still on its way')
    timeUp.abort()
  }

  /** What is on its way may put more on its way. */
  async #settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all([...this.#pending])
  }

  async #run(work: () => Promise<OutgoingMail[]>): Promise<void> {
    try {
      await this.#options.begin()
      await Promise.all((await work()).map((mail) => this.#deliver(mail)))
    } catch (error) {
      this.#options.log.error({ err: error }, 'a mail could not be prepared')
    }
  }

  async #deliver(mail: OutgoingMail): Promise<void> {
    const { send, log, retryAfterMs } = this.#options
    for (const wait of [...retryAfterMs, null]) {
      try {
        return await send(mail)
      } catch (error) {
        const reason = describe(error)
        if (wait === null || reason.permanent) {
          log.error({ kind: mail.kind, ...reason }, 'a mail could not be sent')
          return
        }
        log.warn({ kind: mail.kind, ...reason }, 'a mail could not be sent yet')
        await sleep(wait)
      }
    }
  }
}

/** Codes only: the text of a mail server's refusal often repeats the address. */
function describe(error: unknown): { code?: string; responseCode?: number; permanent: boolean } {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  return {
    ...(code === undefined ? {} : { code }),
    ...(responseCode === undefined ? {} : { responseCode }),
    permanent: responseCode !== undefined && responseCode >= 500,
  }
}
