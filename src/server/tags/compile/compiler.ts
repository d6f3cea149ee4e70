import { Worker } from 'node:worker_threads'
import { TAG_REFUSED } from '#contract/tag-status.ts'
import { AppError } from '#server/http/errors.ts'
import { COMPILER_QUEUE, RETRY_AFTER_SECONDS } from '#server/http/limits/limits.ts'
import type { CompileAnswer } from './compile-worker.ts'
import type { EncodedTag, TagSource } from './compiled-tag.ts'

/** Processor time for one snippet; an ordinary one takes a few milliseconds. */
const DEADLINE_MS = 2_000

/** A busy machine may give the thread a tenth of a processor; after that, the snippet is given up anyway. */
const SLOWEST_MACHINE = 10

/** Between two looks at the processor time. */
const SHORTEST_LOOK_MS = 50

/** Time for the thread to load its code on a busy machine. */
const START_MS = 30_000

/** An idle thread costs memory. */
const IDLE_MS = 20_000

const LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }

interface Job {
  source: TagSource
  /** A job that has not started by then is given up. */
  beginBy: number
  resolve: (tag: EncodedTag) => void
  reject: (error: Error) => void
}

/**
 * Recognises and compiles snippets in a thread, one at a time. A snippet that takes too long or too much memory is
 * refused, and the thread is replaced. The event loop is never blocked.
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

  /** True while the thread exists, busy or idle. */
  get isAwake(): boolean {
    return this.#worker !== null
  }

  /** Rejects with an `AppError` if the snippet is refused, or if it did not start within `withinMs`. */
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
      // The thread gets neither the environment nor the arguments of the process.
      env: {},
      argv: [],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    // A stopping server does not wait for a snippet.
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
      current(() => this.#fail('failed', new Error('the compiler thread ended'))),
    )
    this.#setTimer(START_MS, () => this.#fail('failed', new Error('the compiler thread did not start')))
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
    const worker = this.#worker
    if (worker === null) return
    const before = processorMs(worker)
    worker.postMessage(source)
    this.#limit(worker, this.#running, before, this.#deadlineMs)
  }

  /** Refuses the snippet once the thread has spent its processor time on it: other programs' load is not its fault. */
  #limit(worker: Worker, job: Job, before: Promise<number>, afterMs: number, waitedMs = 0): void {
    this.#setTimer(afterMs, async () => {
      const waited = waitedMs + afterMs
      const spentMs = (await processorMs(worker)) - (await before)
      if (this.#worker !== worker || this.#running !== job) return
      const leftMs = this.#deadlineMs - spentMs
      if (leftMs <= 0 || waited >= this.#deadlineMs * SLOWEST_MACHINE) this.#fail('too_slow')
      else this.#limit(worker, job, before, Math.max(leftMs, SHORTEST_LOOK_MS), waited)
    })
  }

  #answered(answer: CompileAnswer): void {
    const job = this.#running
    if (answer.ok) job?.resolve(answer.tag)
    else job?.reject(refuseTag(answer.reason, new Error(answer.detail)))
    this.#next()
  }

  /** Refuses the snippet; the next one gets a new thread. */
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

  #setTimer(ms: number | null, then: () => unknown = () => {}): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = ms === null ? null : setTimeout(then, ms).unref()
  }
}

/** Processor time of a thread so far; zero once it has ended. */
async function processorMs(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage()
    return (user + system) / 1_000
  } catch {
    return 0
  }
}

/** Beside the server's bundle, or among the sources. */
const WORKER_FILE = new URL(
  import.meta.url.endsWith('.ts') ? './compile-worker.ts' : './compile-worker.js',
  import.meta.url,
)

/** Why a snippet cannot become a tag. */
type RefusalReason = 'too_slow' | 'too_complex' | 'too_large' | 'failed'

const REASONS: Record<RefusalReason, string> = {
  too_slow: 'O código demora demais para ser analisado (mais de 2 segundos).',
  too_complex: 'O código é complexo demais para ser analisado.',
  too_large: 'O código é grande demais.',
  failed: 'Não foi possível analisar o código.',
}

const ADVICE = 'Nada foi salvo. Copie de novo o código da plataforma e tente novamente.'

/** In Portuguese, shown at the code field. */
function refuseTag(reason: RefusalReason, cause?: unknown): AppError {
  return new AppError(400, TAG_REFUSED, `${REASONS[reason]} ${ADVICE}`, cause === undefined ? {} : { cause })
}

/** A script with a syntax error. */
export function refuseScript(problem: string): AppError {
  return new AppError(400, TAG_REFUSED, `${problem} O pixel não foi salvo.`)
}

/** The queue is full: nothing is wrong with this snippet. */
function compilerBusy(): AppError {
  return new AppError(
    503,
    'tag_compiler_busy',
    'O servidor está analisando muitos códigos agora. Tente novamente em alguns segundos.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
}

/** One write with too much code. */
export function tooMuchAtOnce(): AppError {
  return new AppError(
    400,
    TAG_REFUSED,
    'Você enviou código demais de uma vez. Nada foi salvo: envie menos pixels por vez.',
  )
}
