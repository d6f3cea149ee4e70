import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeDocRow } from '#tests/support/doc-table.ts'
import { closeKeyFile, touchOwnerOnly } from './data-directory.ts'
import { prepareDataDirectory } from './database.ts'

const NOBODY = 65_534

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const modeOf = (name: string) => (statSync(join(folder, name)).mode & 0o777).toString(8)

test('closes an open data directory and all our files in it', () => {
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'outbox'), { mode: 0o755 })
  const own = ['portico.db', 'portico.db-wal', 'portico.db-shm', 'lock.db', 'secret.key', 'outbox/mail.eml']
  for (const name of [...own, 'somebody-elses.sh']) {
    writeFileSync(join(folder, name), '')
    chmodSync(join(folder, name), 0o755)
  }
  prepareDataDirectory(folder)
  expect(modeOf('.')).toBe('700')
  expect(modeOf('outbox')).toBe('700')
  expect(own.map(modeOf)).toEqual(own.map(() => '600'))
  // The folder may contain other files; the folder's own mode keeps others out.
  expect(modeOf('somebody-elses.sh')).toBe('755')
})

test('a new file is readable by its owner only under any umask', () => {
  const former = process.umask(0)
  try {
    touchOwnerOnly(join(folder, 'new'))
    expect(modeOf('new')).toBe('600')
  } finally {
    process.umask(former)
  }
})

test("closes an operator’s key file; another user's may be group-readable only", () => {
  const file = join(folder, 'key')
  writeFileSync(file, '')
  chmodSync(file, 0o644)
  closeKeyFile(file)
  expect(modeOf('key')).toBe('600')
  if (process.geteuid?.() !== 0) return
  chownSync(file, NOBODY, NOBODY)
  chmodSync(file, 0o440)
  closeKeyFile(file)
  expect(modeOf('key')).toBe('440')
  chmodSync(file, 0o444)
  closeKeyFile(file)
  expect(modeOf('key')).toBe('600')
})

test('refuses files of another user with the reason', () => {
  // Root may close anything, so it becomes nobody; others use the system's folder, which is root's.
  const isRoot = process.geteuid?.() === 0
  const foreign = isRoot ? folder : tmpdir()
  if (isRoot) chmodSync(folder, 0o777)
  if (isRoot) process.seteuid?.(NOBODY)
  try {
    expect(() => prepareDataDirectory(foreign)).toThrow(
      /não foi possível mudar a permissão: o dono é o usuário \d+, e este processo roda como \d+/,
    )
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B12f',
    'a `DATA_DIR` that others can read; one that belongs to somebody else',
    'permissions are restricted, also of the files in it; the start is refused with the reason',
    '`src/server/db/data-directory.test.ts`',
  ])
})
