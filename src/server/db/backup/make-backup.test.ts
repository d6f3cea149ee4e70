import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeStorage, type Storage } from '#tests/support/engines.ts'
import { openDatabase } from '../database.ts'
import { MIGRATIONS, migrate } from '../migrate.ts'
import { describeLeftBehind } from '../transfer/export.ts'
import { type BackupFacts, makeBackup } from './backup.ts'
import { FileCheck } from './file-check.ts'
import { restoreDatabase } from './restore.ts'
import { BackupSchedule } from './schedule.ts'

let storage: Storage
beforeEach(async () => {
  storage = await makeStorage('sqlite')
})
afterEach(() => storage.remove())

const at = (name: string) => join(storage.dataDir, name)
const accept = async () => {}

async function fill(migrations = MIGRATIONS): Promise<void> {
  const { db, close } = openDatabase(storage)
  await migrate(db, migrations)
  await db.insertInto('rate_limits').values({ key: 'marca-d-agua', count: 1, expires_at: '2030' }).execute()
  await close()
}

async function readKeys(): Promise<string[]> {
  const { db, close } = openDatabase(storage)
  const rows = await db.selectFrom('rate_limits').select('key').execute()
  await close()
  return rows.map(({ key }) => key)
}

test('opens a backup and counts every table', async () => {
  await fill()
  const facts = await makeBackup(storage.dataDir, at('copy.db'), null)
  const { db, close } = openDatabase(storage)
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  let rows = 0
  for (const { name } of tables)
    rows += Number(
      (
        await db
          .selectFrom(name as 'rate_limits')
          .select((eb) => eb.fn.countAll().as('n'))
          .executeTakeFirstOrThrow()
      ).n,
    )
  await close()
  expect(facts).toMatchObject({ rows, tables: tables.length, missing: [] })
})

test('an encrypted backup shows nothing, leaves no plain file, and needs its key', async () => {
  await fill()
  const identity = await generateIdentity()
  const other = await generateIdentity()
  writeFileSync(at('key.txt'), `# created: hoje\n${identity}\n`)
  writeFileSync(at('other.txt'), other)
  const before = readdirSync(storage.dataDir)
  await makeBackup(storage.dataDir, at('copy.age'), await identityToRecipient(identity))
  expect(readdirSync(storage.dataDir).filter((name) => !before.includes(name))).toEqual(['copy.age'])
  expect(statSync(at('copy.age')).mode & 0o777).toBe(0o600)
  const bytes = readFileSync(at('copy.age'))
  expect(bytes.subarray(0, 21).toString()).toBe('age-encryption.org/v1')
  expect(bytes.includes('marca-d-agua')).toBe(false)
  const restore = (identityFile?: string) =>
    restoreDatabase({ dataDir: storage.dataDir, backup: at('copy.age'), identityFile, force: true, accept })
  await expect(restore()).rejects.toThrow('--identity')
  await expect(restore(at('other.txt'))).rejects.toThrow('não abrem o backup')
  await expect(restore(at('missing.txt'))).rejects.toThrow('ENOENT')
  await expect(restore(at('copy.age'))).rejects.toThrow('não tem uma chave')
  expect(await readKeys()).toEqual(['marca-d-agua'])
  const { db, close } = openDatabase(storage)
  await db.deleteFrom('rate_limits').execute()
  await close()
  await restore(at('key.txt'))
  expect(await readKeys()).toEqual(['marca-d-agua'])
  // One changed byte is noticed, and nothing is replaced.
  bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1
  writeFileSync(at('copy.age'), bytes)
  await expect(restore(at('key.txt'))).rejects.toThrow('incompleto ou danificado')
  // Truncated in its header, in its last block, and at the end of one.
  for (const length of [100, bytes.length - 1, 65_536 + 300]) {
    writeFileSync(at('copy.age'), bytes.subarray(0, length))
    await expect(restore(at('key.txt')), `${length} bytes`).rejects.toThrow('incompleto ou danificado')
  }
  expect(await readKeys()).toEqual(['marca-d-agua'])
})

test('lists the migrations that an older backup lacks', async () => {
  const [last = ''] = Object.keys(MIGRATIONS).slice(-1)
  const { [last]: _last, ...earlier } = MIGRATIONS
  await fill(earlier)
  await makeBackup(storage.dataDir, at('copy.db'), null)
  const { missing } = await restoreDatabase({
    dataDir: storage.dataDir,
    backup: at('copy.db'),
    force: true,
    accept,
  })
  expect(missing).toEqual([last])
})

test('the schedule makes one when the newest is old enough, keeps the newest few and reports failures', async () => {
  await fill()
  const directory = at('backups')
  const made: [string, BackupFacts][] = []
  const failed: unknown[] = []
  let now = Date.parse('2026-11-15T12:00:00Z')
  let isIntact = true
  let checks = 0
  const schedule = new BackupSchedule({
    dataDir: storage.dataDir,
    directory,
    everyMs: 3_600_000,
    keep: 2,
    recipient: null,
    isIntact: async () => {
      checks++
      return isIntact
    },
    onMade: (file, facts) => made.push([file, facts]),
    onFailed: (error) => failed.push(error),
    now: () => now,
  })
  const look = () => schedule.look()
  await look()
  expect(made).toHaveLength(1)
  expect(made[0]?.[1].rows).toBeGreaterThan(0)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  now += 3_599_000
  await look()
  expect(made).toHaveLength(1)
  for (let hour = 0; hour < 3; hour++) {
    now += 3_600_000
    await look()
  }
  expect(made).toHaveLength(4)
  writeFileSync(join(directory, 'portico-notes.db'), 'somebody else’s')
  now += 3_600_000
  await look()
  expect(readdirSync(directory).sort()).toEqual([
    'portico-2026-11-15T15-59-59.000Z.db',
    'portico-2026-11-15T16-59-59.000Z.db',
    'portico-notes.db',
  ])
  isIntact = false
  now += 3_600_000
  await look()
  now += 60_000
  await look()
  expect([made.length, checks]).toEqual([5, 6])
  expect(failed).toEqual([])
  isIntact = true
  chmodSync(at('portico.db'), 0o600)
  writeFileSync(at('portico.db'), 'damaged'.repeat(1000))
  now += 3_600_000
  await look()
  expect(made).toHaveLength(5)
  expect(String(failed)).toContain('Não foi possível gravar o backup')
  await schedule.stop()
})

test.each(['backups', 'back[u]ps *', '{a,b}?'])(
  'ignores and keeps a file from the future, and treats the folder %j as a plain name',
  async (name) => {
    await fill()
    const directory = at(name)
    mkdirSync(directory)
    const future = 'portico-2031-01-01T00-00-00.000Z.db'
    writeFileSync(join(directory, future), 'made while the clock was wrong')
    let now = Date.parse('2026-11-15T12:00:00Z')
    const failed: unknown[] = []
    const schedule = new BackupSchedule({
      dataDir: storage.dataDir,
      directory,
      everyMs: 3_600_000,
      keep: 2,
      recipient: null,
      isIntact: async () => true,
      onMade: () => {},
      onFailed: (error) => failed.push(error),
      now: () => now,
    })
    for (let minute = 0; minute < 5; minute++) {
      await schedule.look()
      now += 60_000
    }
    expect(readdirSync(directory).sort()).toEqual(['portico-2026-11-15T12-00-00.000Z.db', future])
    for (let hour = 0; hour < 3; hour++) {
      now += 3_600_000
      await schedule.look()
    }
    expect(readdirSync(directory).sort()).toEqual([
      'portico-2026-11-15T14-05-00.000Z.db',
      'portico-2026-11-15T15-05-00.000Z.db',
      future,
    ])
    expect(failed).toEqual([])
  },
)

test('counts the waiting conversions and emails that a backup leaves out', async () => {
  await fill()
  const { db, close } = openDatabase(storage)
  const at0 = '2026-11-15T12:00:00.000Z'
  const row = (id: number, kind: 'meta' | 'mail' | 'newsletter') => ({
    id: `00000000-0000-4000-8000-00000000000${id}`,
    kind,
    payload: '{}',
    next_attempt_at: at0,
    created_at: at0,
  })
  await db
    .insertInto('deliveries')
    .values([row(1, 'meta'), row(2, 'meta'), row(3, 'mail'), row(4, 'newsletter')] as never)
    .execute()
  await close()
  const { leftBehind } = await makeBackup(storage.dataDir, at('copy.db'), null)
  expect(leftBehind).toEqual({ conversions: 2, mails: 1 })
  expect(describeLeftBehind(leftBehind)).toBe(
    'Não estão no arquivo, porque ainda estavam na fila de envio: 2 conversões e 1 e-mail.',
  )
  expect(describeLeftBehind({ conversions: 0, mails: 0 })).toContain('A fila de envio estava vazia')
})

test('the file check finds a broken leaf and a broken root', async () => {
  await fill()
  const { db, close } = openDatabase(storage)
  await db
    .insertInto('rate_limits')
    .values(
      Array.from({ length: 400 }, (_, index) => ({
        key: `k${index}`.padEnd(60, 'x'),
        count: 1,
        expires_at: '2030',
      })),
    )
    .execute()
  const { rows } = await sql<{
    rootpage: number
  }>`select rootpage from sqlite_schema where name = 'rate_limits'`.execute(db)
  await sql`pragma wal_checkpoint(truncate)`.execute(db)
  await close()
  const lines: string[] = []
  const log = {
    error: (_: object, text: string) => lines.push(text),
    warn: (_: object, text: string) => lines.push(text),
  }
  const check = async () => {
    const found = new FileCheck(storage.dataDir, log)
    return [await found.run(), found.problem?.code ?? null]
  }
  expect(await check()).toEqual([true, null])
  const good = readFileSync(at('portico.db'))
  for (const page of [Number(rows[0]?.rootpage), good.length / 4096]) {
    const broken = Buffer.from(good)
    broken.fill(0xff, (page - 1) * 4096, page * 4096)
    writeFileSync(at('portico.db'), broken)
    expect(await check(), `page ${page}`).toEqual([false, 'database_damaged'])
  }
  expect(lines).toEqual(['the database file is damaged', 'the database file is damaged'])
  writeFileSync(at('portico.db'), good)
})
