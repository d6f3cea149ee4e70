import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeStorage, type Storage } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { openDatabase } from '../database.ts'
import { migrate } from '../migrate.ts'
import { backupDatabase } from './backup.ts'
import { restoreDatabase } from './restore.ts'

let storage: Storage
let steps: string[]
beforeEach(async () => {
  storage = await makeStorage('sqlite')
  const { db, close } = openDatabase(storage)
  await migrate(db)
  await close()
  steps = watchDisk()
})
afterEach(async () => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  await storage.remove()
})

/** Records every rename and sync by file name; the calls themselves go through. */
function watchDisk(): string[] {
  const seen: string[] = []
  const names = new Map<number, string>()
  const shown = (path: unknown) => String(path).replace(storage.dataDir, 'DIR')
  const { openSync, fsyncSync, renameSync } = fs
  vi.spyOn(fs, 'openSync').mockImplementation((path, ...rest) => {
    const handle = openSync(path, ...rest)
    names.set(handle, shown(path))
    return handle
  })
  vi.spyOn(fs, 'fsyncSync').mockImplementation((handle) => {
    fsyncSync(handle)
    seen.push(`sync ${names.get(handle)}`)
  })
  vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    renameSync(from, to)
    seen.push(`rename ${shown(from)} to ${shown(to)}`)
  })
  syncBuiltinESMExports()
  return seen
}

test('a backup gets its name after its content is on disk, and returns after its name is', () => {
  backupDatabase(storage.dataDir, join(storage.dataDir, 'copy.db'))
  expect(steps).toEqual(['sync DIR/copy.db.partial', 'rename DIR/copy.db.partial to DIR/copy.db', 'sync DIR'])
})

test('a restored database takes its place after it and the former one are on disk', async () => {
  const backup = join(storage.dataDir, 'copy.db')
  backupDatabase(storage.dataDir, backup)
  steps.length = 0
  await restoreDatabase({ dataDir: storage.dataDir, backup, force: true, accept: async () => {} })
  expect(steps).toEqual([
    'sync DIR/portico.db.incoming',
    'sync DIR/portico.db',
    'rename DIR/portico.db.incoming to DIR/portico.db',
    'sync DIR',
  ])
})

test('backups contain no waiting deliveries, not even in free pages', async () => {
  const { db, close } = openDatabase(storage)
  const pixelId = await insertPixel(db, { type: 'meta' })
  const at = new Date().toISOString()
  await db
    .insertInto('deliveries')
    .values({
      id: crypto.randomUUID(),
      kind: 'meta',
      pixel_id: pixelId,
      event_id: crypto.randomUUID(),
      event: 'lead',
      consent_id: crypto.randomUUID(),
      category: 'marketing',
      payload: '{"address":"189.6.10.20"}',
      next_attempt_at: at,
      leased_until: null,
      sent_at: null,
      created_at: at,
      expires_at: at,
    })
    .execute()
  const backup = join(storage.dataDir, 'copy.db')
  backupDatabase(storage.dataDir, backup)
  expect(await db.selectFrom('deliveries').select('id').execute()).toHaveLength(1)
  await close()
  const bytes = fs.readFileSync(backup)
  expect(bytes.includes('189.6.10.20')).toBe(false)
  expect(bytes.includes(pixelId)).toBe(true)
})
