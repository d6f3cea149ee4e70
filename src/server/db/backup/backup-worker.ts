/** Entry of the thread in which a backup is made or the file is checked: reading a large file to its end takes seconds. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { SQLITE_FILE } from '../database.ts'
import { isDamage, shortenVerdict } from '../errors.ts'
import { makeBackup } from './backup.ts'

/** Without a target, the file is checked and nothing is made. */
export type BackupOrder =
  | { dataDir: string; target: string; recipient: string | null }
  | { dataDir: string; target?: undefined }

const order = workerData as BackupOrder
parentPort?.postMessage(
  order.target === undefined
    ? checkFile(join(order.dataDir, SQLITE_FILE))
    : await makeBackup(order.dataDir, order.target, order.recipient),
)

/** SQLite throws where a root page is broken, and answers with a list where a leaf is. */
function checkFile(file: string): string | null {
  const database = new DatabaseSync(file, { timeout: 5000 })
  try {
    const verdict = String(database.prepare('pragma quick_check(1)').get()?.quick_check)
    return verdict === 'ok' ? null : shortenVerdict(verdict)
  } catch (error) {
    if (isDamage(error)) return (error as Error).message
    throw error
  } finally {
    database.close()
  }
}
