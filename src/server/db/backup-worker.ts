/** Entry of the thread in which a scheduled backup is made: copying and checking a large file takes seconds. */
import { parentPort, workerData } from 'node:worker_threads'
import { makeBackup } from './make-backup.ts'

export interface BackupOrder {
  dataDir: string
  target: string
  recipient: string | null
}

const { dataDir, target, recipient } = workerData as BackupOrder
parentPort?.postMessage(await makeBackup(dataDir, target, recipient))
