import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { MINUTE_MS } from '#contract/durations.ts'
import { makeFolder } from '../data-directory.ts'
import type { MadeBackup } from './backup.ts'
import { inThread } from './file-check.ts'

const LOOK_EVERY_MS = MINUTE_MS
/** `portico-2026-11-15T12-00-00.000Z.db`, with `.age` if encrypted. */
const NAME = /^portico-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.db(?:\.age)?$/

interface BackupFile {
  file: string
  madeAt: number
}

/** The schedule's backups by name, newest first. A missing folder has none. */
export function listBackups(directory: string): BackupFile[] {
  return namesIn(directory)
    .flatMap((name) => {
      const [, day, hour, minute, second] = NAME.exec(name) ?? []
      const madeAt = Date.parse(`${day}T${hour}:${minute}:${second}`)
      return Number.isNaN(madeAt) ? [] : [{ file: join(directory, name), madeAt }]
    })
    .sort((a, b) => b.madeAt - a.madeAt)
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

export interface BackupScheduleOptions {
  dataDir: string
  directory: string
  everyMs: number
  keep: number
  recipient: string | null
  /** Checks the file first; a damaged one is not backed up. */
  isIntact: () => Promise<boolean>
  onMade: (file: string, made: MadeBackup) => void
  onFailed: (error: unknown) => void
  now?: () => number
}

/**
 * Makes a backup when the newest one is old enough, independent of restarts, and keeps the newest few. A name from the
 * future was made by a wrong clock: it counts neither as the newest nor among those kept, and is not deleted. Each
 * backup runs in its own thread.
 */
export class BackupSchedule {
  readonly #options: BackupScheduleOptions
  readonly #now: () => number
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  /** When the file was last found damaged. */
  #damagedAt = Number.NEGATIVE_INFINITY

  constructor(options: BackupScheduleOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref()
    void this.look()
  }

  /** Lets a running backup finish. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await this.#running
  }

  /** Makes a backup if it is due. */
  look(): Promise<void> {
    this.#running ??= this.#makeIfDue().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #makeIfDue(): Promise<void> {
    const { dataDir, directory, everyMs, keep, recipient, isIntact, onMade, onFailed } = this.#options
    try {
      const now = this.#now()
      const [newest] = this.#listPast(now)
      if (newest !== undefined && now - newest.madeAt < everyMs) return
      // Checking a damaged file every minute would find nothing new.
      if (now - this.#damagedAt < everyMs) return
      if (!(await isIntact())) {
        this.#damagedAt = now
        return
      }
      makeFolder(directory)
      const stamp = new Date(now).toISOString().replaceAll(':', '-')
      const target = join(directory, `portico-${stamp}.db${recipient === null ? '' : '.age'}`)
      onMade(target, (await inThread({ dataDir, target, recipient })) as MadeBackup)
      for (const { file } of this.#listPast(now).slice(keep)) rmSync(file, { force: true })
    } catch (error) {
      onFailed(error)
    }
  }

  #listPast(now: number): BackupFile[] {
    return listBackups(this.#options.directory).filter(({ madeAt }) => madeAt <= now)
  }
}
