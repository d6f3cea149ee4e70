import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Several times what a run needs: four files at a time, with up to three databases each. */
const ROOM_BYTES = 2_000_000_000

/** Folder of a run's databases: in memory if there is space, unless `TMPDIR` is set. */
export const STORAGE_FOLDER = process.env.TMPDIR === undefined && hasRoom('/dev/shm') ? '/dev/shm' : tmpdir()

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > ROOM_BYTES
  } catch {
    return false
  }
}
