import { Worker } from 'node:worker_threads'
import { TAG_REFUSED } from '#contract/tag-status.ts'
import { AppError } from '#server/http/errors.ts'
import { COMPILER_QUEUE, RETRY_AFTER_SECONDS } from '#server/http/limits/limits.ts'
import type { CompileAnswer } from './compile-worker.ts'
import type { EncodedTag, TagSource } from './compiled-tag.ts'

/** For one snippet; an ordinary one takes a few milliseconds. */
const DEADLINE_MS = 2_000

/** For the thread to load its code, on a machine that has much else to do. */
const START_MS = 30_000

/** A thread that waits costs memory. */
const IDLE_MS = 20_000

const LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }

interface Job {
  source: TagSource
  /** Not begun by then, it is given up. */
  beginBy: number
  resolve: (tag: EncodedTag) => void
  reject: (error: Error) => void
}

/**
 * Recognises and compiles snippets in a thread of its own, one after the other. One that takes too long or too much memory costs that
 * thread, which is begun anew, and is refused; the event loop notices nothing of either.
 */
export class TagCompiler {
  readonly #deadlineMs: number
  readonly #idleMs: number
  readonly #waiting: Job[] = []
  #running: Job | null = null
  #worker: Worker | null = null
  #isReady = false
  #timer: NodeJS.Timeout | null = null

  constructor({ deadlineMs = DEADLINE_MS, idleMs = IDLE_MS } = {}) {
    this.#deadlineMs = deadlineMs
    this.#idleMs = idleMs
  }

  /** True while the thread is there, busy or waiting. */
  get isAwake(): boolean {
    return this.#worker !== null
  }

  /** Rejects with an `AppError`: the snippet is refused, or its turn did not come within `withinMs`. */
  compile(source: TagSource, { withinMs = START_MS }: { withinMs?: number } = {}): Promise<EncodedTag> {
    if (this.#waiting.length >= COMPILER_QUEUE.waiting) return Promise.reject(compilerBusy())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ source, beginBy: performance.now() + withinMs, resolve, reject })
      if (this.#running === null) this.#next()
    })
  }

  async close(): Promise<void> {
    for (const job of this.#waiting.splice(0)) job.reject(compilerBusy())
    this.#running?.reject(compilerBusy())
    this.#running = null
    await this.#end()
  }

  #next(): void {
    this.#setTimer(null)
    const now = performance.now()
    for (const job of this.#waiting.splice(0)) {
      if (job.beginBy < now) job.reject(compilerBusy())
      else this.#waiting.push(job)
    }
    this.#running = this.#waiting.shift() ?? null
    if (this.#running === null) {
      this.#setTimer(this.#idleMs, () => void this.#end())
      return
    }
    if (this.#worker === null) this.#start()
    else if (this.#isReady) this.#post()
  }

  #start(): void {
    const worker = new Worker(WORKER_FILE, {
      name: 'tag-compiler',
      resourceLimits: LIMITS,
      // Neither the environment nor the arguments of the process.
      env: {},
      argv: [],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    // A server that has been told to stop does not wait for a snippet.
    worker.unref()
    this.#worker = worker
    this.#isReady = false
    const current = (then: () => void) => () => this.#worker === worker && then()
    worker.on('message', (message: 'ready' | CompileAnswer) =>
      current(() => (message === 'ready' ? this.#becameReady() : this.#answered(message)))(),
    )
    worker.on('error', (error: NodeJS.ErrnoException) =>
      current(() =>
        this.#fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too_complex' : 'failed', error),
      )(),
    )
    worker.on(
      'exit',
      current(() => this.#fail('failed', new Error('the thread ended'))),
    )
    this.#setTimer(START_MS, () => this.#fail('failed', new Error('the thread did not start')))
  }

  #becameReady(): void {
    this.#isReady = true
    if (this.#running === null) this.#next()
    else this.#post()
  }

  #post(): void {
    if (this.#running === null) return
    const { type, pixel_id, code } = this.#running.source
    const source: TagSource = { type, pixel_id, code }
    this.#worker?.postMessage(source)
    this.#setTimer(this.#deadlineMs, () => this.#fail('too_slow'))
  }

  #answered(answer: CompileAnswer): void {
    const job = this.#running
    if (answer.ok) job?.resolve(answer.tag)
    else job?.reject(refuseTag(answer.reason, new Error(answer.detail)))
    this.#next()
  }

  /** The snippet is refused, and the next one gets another thread. */
  #fail(reason: RefusalReason, cause?: Error): void {
    const job = this.#running
    void this.#end()
    job?.reject(refuseTag(reason, cause))
    this.#next()
  }

  async #end(): Promise<void> {
    this.#setTimer(null)
    const worker = this.#worker
    this.#worker = null
    this.#isReady = false
    await worker?.terminate()
  }

  #setTimer(ms: number | null, then: () => void = () => {}): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = ms === null ? null : setTimeout(then, ms).unref()
  }
}

/** Beside the server's bundle, or among its sources. */
const WORKER_FILE = new URL(
  import.meta.url.endsWith('.ts') ? './compile-worker.ts' : './compile-worker.js',
  import.meta.url,
)

/** Why a snippet cannot become a tag. */
type RefusalReason = 'too_slow' | 'too_complex' | 'too_large' | 'failed'

const REASONS: Record<RefusalReason, string> = {
  too_slow: 'O código é complexo demais: lê-lo leva mais de 2 segundos.',
  too_complex: 'O código é complexo demais: lido por um navegador, viraria elementos sem fim.',
  too_large: 'O código fica grande demais depois de lido.',
  failed: 'Não foi possível ler o código.',
}

const ADVICE = 'Ele não foi salvo. Confira se é mesmo o código da plataforma e copie-o de novo.'

/** In the words that an administrator reads at the field of the code. */
function refuseTag(reason: RefusalReason, cause?: unknown): AppError {
  return new AppError(400, TAG_REFUSED, `${REASONS[reason]} ${ADVICE}`, cause === undefined ? {} : { cause })
}

/** A script that no browser would run. */
export function refuseScript(problem: string): AppError {
  return new AppError(400, TAG_REFUSED, `${problem} O pixel não foi salvo.`)
}

/** The compiler has more to do than it can: nothing is wrong with this snippet. */
function compilerBusy(): AppError {
  return new AppError(
    503,
    'tag_compiler_busy',
    'Há códigos demais sendo lidos agora. Tente de novo em instantes.',
    {
      headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    },
  )
}

/** One write with more code in it than there is time for. */
export function tooMuchAtOnce(): AppError {
  return new AppError(
    400,
    TAG_REFUSED,
    'São códigos demais de uma vez. Nada foi salvo: envie menos pixels por vez.',
  )
}
