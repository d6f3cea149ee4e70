import { once } from 'node:events'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { InstallationProblem } from '#contract/admin-page.ts'
import { SQLITE_FILE } from '../database.ts'
import type { BackupOrder } from './backup-worker.ts'

/** Beside the server's bundle, or among the sources. */
const ENTRY = new URL(`./backup-worker${extname(import.meta.url)}`, import.meta.url)

interface CheckLog {
  error(fields: object, text: string): void
  warn(fields: object, text: string): void
}

/** Reads the whole SQLite file and remembers what was wrong with it. */
export class FileCheck {
  readonly #dataDir: string
  readonly #log: CheckLog
  problem: InstallationProblem | null = null

  constructor(dataDir: string, log: CheckLog) {
    this.#dataDir = dataDir
    this.#log = log
  }

  /** Whether the file is intact. A failure to read it says nothing about that. */
  async run(): Promise<boolean> {
    const file = join(this.#dataDir, SQLITE_FILE)
    try {
      const damage = (await inThread({ dataDir: this.#dataDir })) as string | null
      this.problem =
        damage === null ? null : { code: 'database_damaged', message: describeDamage(file, damage) }
      if (damage !== null) this.#log.error({ file, damage }, 'the database file is damaged')
    } catch (error) {
      this.#log.warn({ err: error, file }, 'the database file could not be checked')
    }
    return this.problem === null
  }
}

/** `damage` is SQLite's message. */
export function describeDamage(file: string, damage: string): string {
  return `O banco ${file} está danificado (${damage}). Guarde uma cópia e restaure um backup: npm run restore -- ARQUIVO --force`
}

/** In a thread: reading or copying a large file takes seconds. */
export async function inThread(order: BackupOrder): Promise<unknown> {
  const worker = new Worker(ENTRY, { workerData: order })
  try {
    // An error in the thread rejects this.
    const [answer] = await once(worker, 'message')
    return answer
  } finally {
    await worker.terminate()
  }
}
