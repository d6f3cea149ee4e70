import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../data-directory.ts'
import type { MadeBackup } from './backup.ts'
import { inThread } from './file-check.ts'

const LOOK_EVERY_MS = 60_000
/** `portico-2026-11-15T12-00-00.000Z.db`, and with `.age` when it is encrypted. */
const NAME = /^portico-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.db(?:\.age)?$/

interface BackupFile {
  file: string
  madeAt: number
}

/** Those that the schedule made, by their names, the newest first. A folder that is not there holds none. */
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
  /** Looks at the database's file first; false when it is damaged, of which no backup is made. */
  isIntact: () => Promise<boolean>
  onMade: (file: string, made: MadeBackup) => void
  onFailed: (error: unknown) => void
  now?: () => number
}

/**
 * Makes a backup when the newest one is old enough, however often the process was restarted meanwhile, and keeps the
 * newest few. One whose name is of the future was made while the clock was wrong: it neither counts as the newest nor
 * among those that are kept, and is not deleted. Each is made in a thread of its own.
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
    const { dataDir, directory, everyMs, keep, recipient, isIntact, onMade, onFailed } = this.#options
    try {
      const now = this.#now()
      const [newest] = this.#listPast(now)
      if (newest !== undefined && now - newest.madeAt < everyMs) return
      // Reading a large file to its end every minute would find nothing new.
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
