import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { RETRY_AFTER_SECONDS, STRENGTH_QUEUE } from '#server/http/limits/limits.ts'
import { rateLimited } from '../protocol.ts'
import type { StrengthAnswer, StrengthQuestion } from './strength-worker.ts'

/** Beside the server's bundle, or among the sources. */
const ENTRY = new URL(`./strength-worker${extname(import.meta.url)}`, import.meta.url)
/** Long enough to load the dictionaries on a busy machine. */
const DEADLINE_MS = 30_000
/** The thread uses about 50 MB, and passwords are chosen rarely. */
const IDLE_MS = 20_000

interface Waiting {
  network: string | null
  resolve: (answer: StrengthAnswer) => void
  reject: (error: Error) => void
}

/**
 * Estimates passwords in a thread that starts on demand and ends when idle: loading the dictionaries takes a third of a
 * second and some texts several tenths.
 */
export class StrengthThread {
  readonly #idleMs: number
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #timer: NodeJS.Timeout | null = null
  #count = 0

  constructor({ idleMs = IDLE_MS } = {}) {
    this.#idleMs = idleMs
  }

  /** True while the thread exists, busy or idle. */
  get isAwake(): boolean {
    return this.#worker !== null
  }

  /** `network` is where it was asked from; null for administrators, the service key and commands. */
  estimate(password: string, personal: string[], network: string | null = null): Promise<StrengthAnswer> {
    if (!this.#hasRoom(network)) return Promise.reject(rateLimited(RETRY_AFTER_SECONDS))
    const worker = this.#worker ?? this.#start()
    const question: StrengthQuestion = { id: this.#count++, password, personal }
    const answer = new Promise<StrengthAnswer>((resolve, reject) =>
      this.#waiting.set(question.id, { network, resolve, reject }),
    )
    worker.postMessage(question)
    this.#watch()
    return answer
  }

  #hasRoom(network: string | null): boolean {
    if (network === null) return this.#waiting.size < STRENGTH_QUEUE.all
    const own = [...this.#waiting.values()].filter((waiting) => waiting.network === network)
    return own.length < STRENGTH_QUEUE.network && this.#waiting.size < STRENGTH_QUEUE.strangers
  }

  #start(): Worker {
    const worker = new Worker(ENTRY, { name: 'password-strength', env: {}, argv: [] })
    // A stopping server does not wait for an estimate.
    worker.unref()
    worker.on('message', (answer: StrengthAnswer) => {
      this.#waiting.get(answer.id)?.resolve(answer)
      this.#waiting.delete(answer.id)
      this.#watch()
    })
    worker.on('error', (error: Error) => this.#lose(worker, error))
    worker.on('exit', () => this.#lose(worker, new Error('the strength thread ended')))
    this.#worker = worker
    return worker
  }

  /** A deadline since the last message: for an answer if one is expected, else until the idle thread ends. */
  #watch(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    const ms = this.#waiting.size > 0 ? DEADLINE_MS : this.#idleMs
    this.#timer = setTimeout(() => this.#end(), ms).unref()
  }

  #end(): void {
    const worker = this.#worker
    if (worker === null) return
    this.#lose(worker, rateLimited(RETRY_AFTER_SECONDS))
    void worker.terminate()
  }

  #lose(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = null
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
