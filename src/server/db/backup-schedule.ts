import { once } from 'node:events'
import { globSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { BackupOrder } from './backup-worker.ts'
import type { BackupFacts } from './inspect-backup.ts'

/** Beside the server's bundle, or among its sources. */
const ENTRY = new URL(`./backup-worker${extname(import.meta.url)}`, import.meta.url)
const LOOK_EVERY_MS = 60_000

export interface BackupScheduleOptions {
  dataDir: string
  directory: string
  everyMs: number
  keep: number
  recipient: string | null
  onMade: (file: string, facts: BackupFacts) => void
  onFailed: (error: unknown) => void
  now?: () => number
}

/**
 * Makes a backup when the newest one is old enough, however often the process was restarted meanwhile, and keeps the
 * newest few. Each is made in a thread of its own.
 */
export class BackupSchedule {
  readonly #options: BackupScheduleOptions
  readonly #now: () => number
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null

  constructor(options: BackupScheduleOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref()
    void this.look()
  }

  /** One that is being made is finished first: half of one would be thrown away. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await this.#running
  }

  /** Makes one if it is time. */
  look(): Promise<void> {
    this.#running ??= this.#makeIfDue().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #makeIfDue(): Promise<void> {
    const { dataDir, directory, everyMs, keep, recipient, onMade, onFailed } = this.#options
    try {
      const now = this.#now()
      const newest = this.#files()[0]
      // A file of tomorrow was made while the clock was wrong.
      if (newest !== undefined && newest.madeAt <= now && now - newest.madeAt < everyMs) return
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      const stamp = new Date(now).toISOString().replaceAll(':', '-')
      const target = join(directory, `portico-${stamp}.db${recipient === null ? '' : '.age'}`)
      onMade(target, await makeInThread({ dataDir, target, recipient }))
      for (const { file } of this.#files().slice(keep)) rmSync(file, { force: true })
    } catch (error) {
      onFailed(error)
    }
  }

  /** Ours, by their names; the newest first. */
  #files(): { file: string; madeAt: number }[] {
    return globSync(join(this.#options.directory, 'portico-*T*Z.{db,db.age}'))
      .map((file) => ({ file, madeAt: statSync(file).mtimeMs }))
      .sort((a, b) => (a.file < b.file ? 1 : -1))
  }
}

async function makeInThread(order: BackupOrder): Promise<BackupFacts> {
  const worker = new Worker(ENTRY, { workerData: order })
  try {
    // An error in the thread rejects this.
    const [facts] = (await once(worker, 'message')) as [BackupFacts]
    return facts
  } finally {
    await worker.terminate()
  }
}
