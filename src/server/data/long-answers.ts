import type { ServerResponse } from 'node:http'
import { AppError } from '../http/app-error.ts'
import type { Caller } from '../http/caller.ts'
import { serverBusy } from './protocol-errors.ts'

/** Each holds a page or two in memory for as long as its reader takes. */
const AT_ONCE = 16
/** A reader who takes nothing for this long has gone. */
const STALLED_MS = 30_000
/** Whoever waits for a turn is not the one who stands still; after this long the caller is told to come back. */
const LONGEST_WAIT_MS = 5 * 60_000

interface Waiting {
  person: string
  go: () => void
}

/** Lets each person have one long answer at a time, and everybody together a few; the others wait for their turn. */
export class LongAnswers {
  readonly #busy = new Set<string>()
  #waiting: Waiting[] = []

  /** Resolves when it is this answer's turn, which lasts until the answer is sent or its reader has gone. */
  async turn(caller: Caller, response: ServerResponse): Promise<void> {
    const person = caller.kind === 'user' ? caller.userId : caller.kind
    if (this.#isFree(person)) this.#busy.add(person)
    else await this.#wait(person, response)
    const over = () => {
      this.#busy.delete(person)
      this.#next()
    }
    if (response.closed || response.destroyed) return over()
    response.once('close', over)
    response.setTimeout(STALLED_MS)
  }

  #isFree(person: string): boolean {
    return this.#busy.size < AT_ONCE && !this.#busy.has(person)
  }

  #wait(person: string, response: ServerResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        person,
        go: () => {
          response.off('close', leave).off('timeout', giveUp)
          resolve()
        },
      }
      const end = (error: AppError) => {
        response.off('close', leave).off('timeout', giveUp)
        this.#waiting = this.#waiting.filter((other) => other !== waiting)
        reject(error)
      }
      const leave = () => end(new AppError(408, 'caller_gone', 'The caller did not wait'))
      const giveUp = () => end(serverBusy())
      response.once('close', leave)
      response.setTimeout(LONGEST_WAIT_MS, giveUp)
      this.#waiting.push(waiting)
    })
  }

  #next(): void {
    for (const waiting of [...this.#waiting]) {
      if (!this.#isFree(waiting.person)) continue
      this.#busy.add(waiting.person)
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
      waiting.go()
    }
  }
}
