import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeStorage } from '#tests/support/engines.ts'
import { SQLITE_FILE } from '../database.ts'
import { inThread } from './file-check.ts'

const { PRIORITY_BELOW_NORMAL } = constants.priority

/** Threads of this process that yield to others. */
function countYielding(): number {
  return readdirSync('/proc/self/task').filter((thread) => {
    const file = `/proc/self/task/${thread}/stat`
    // A thread may end in between.
    if (!existsSync(file)) return false
    const [, after = ''] = readFileSync(file, 'utf8').split(') ')
    return Number(after.split(' ')[16]) === PRIORITY_BELOW_NORMAL
  }).length
}

/** A program that yields to others already shows no difference. */
const showsDifference = process.platform === 'linux' && getPriority() < PRIORITY_BELOW_NORMAL

test.runIf(showsDifference)('the check yields to requests, and only its thread does', async () => {
  const storage = await makeStorage('sqlite')
  onTestFinished(storage.remove)
  // The check waits for this lock, so that its thread can be looked at.
  const holder = new DatabaseSync(join(storage.dataDir, SQLITE_FILE))
  holder.exec('create table t (n); begin exclusive')
  const before = countYielding()
  const verdict = inThread({ dataDir: storage.dataDir })
  await vi.waitFor(() => expect(countYielding()).toBe(before + 1), 5_000)
  holder.exec('rollback')
  expect(await verdict).toBeNull()
  holder.close()
})
