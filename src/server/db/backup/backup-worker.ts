/** Entry of the thread that makes a backup or checks the file: reading a large file takes seconds. */
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { SQLITE_FILE } from '../database.ts'
import { isDamage, shortenVerdict } from '../errors.ts'
import { makeBackup } from './backup.ts'

/** Without a target, the file is only checked. */
export type BackupOrder =
  | { dataDir: string; target: string; recipient: string | null }
  | { dataDir: string; target?: undefined }

// Requests come first: after a start on 3 GB, the check takes ten seconds of a processor. Only Linux has priorities of
// threads; elsewhere this would be the priority of the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

const order = workerData as BackupOrder
parentPort?.postMessage(
  order.target === undefined
    ? checkFile(join(order.dataDir, SQLITE_FILE))
    : await makeBackup(order.dataDir, order.target, order.recipient),
)

/** SQLite throws for a broken root page, and returns a list for a broken leaf. */
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
