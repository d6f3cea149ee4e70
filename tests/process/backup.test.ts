import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'
import { makeStorage, type Storage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { spawnNode, spawnServer, untilReady } from '../support/spawn-server.ts'

let storage: Storage
beforeEach(async () => {
  storage = await makeStorage('sqlite')
})
afterEach(() => storage.remove())

async function command(
  name: 'backup' | 'restore',
  ...args: string[]
): Promise<{ code: unknown; output: string }> {
  const run = spawnNode([`src/server/commands/${name}.ts`, ...args], { DATA_DIR: storage.dataDir })
  return { code: await run.ended, output: run.output() }
}

async function withDatabase<T>(work: (db: ReturnType<typeof openDatabase>['db']) => Promise<T>): Promise<T> {
  const database = openDatabase(storage)
  await migrate(database.db)
  try {
    return await work(database.db)
  } finally {
    await database.close()
  }
}

const write = (key: string) =>
  withDatabase((db) =>
    db.insertInto('rate_limits').values({ key, count: 1, expires_at: '2030-01-01T00:00:00.000Z' }).execute(),
  )
const keys = () =>
  withDatabase(async (db) =>
    (await db.selectFrom('rate_limits').select('key').orderBy('key').execute()).map((row) => row.key),
  )

test('a backup taken beside a live server brings back what was there', async () => {
  const port = await freePort()
  const server = spawnServer({ PORT: String(port), DATA_DIR: storage.dataDir })
  await untilReady(server, `http://127.0.0.1:${port}`)
  await write('before')
  const file = join(storage.dataDir, 'copy.db')
  expect(await command('backup', file)).toMatchObject({ code: 0, output: `Backup gravado em ${file}.\n` })
  await write('after')

  const whileRunning = await command('restore', file, '--force')
  expect(whileRunning.code).toBe(1)
  expect(whileRunning.output).toContain('já está em uso')
  server.child.kill('SIGTERM')
  await server.ended

  const unforced = await command('restore', file)
  expect(unforced).toMatchObject({ code: 1, output: expect.stringContaining('--force') })
  expect(await keys()).toEqual(['after', 'before'])
  expect(await command('restore', file, '--force')).toMatchObject({ code: 0 })
  expect(await keys()).toEqual(['before'])
})

test('a backup never overwrites a file, and what is no backup is not restored', async () => {
  await write('kept')
  const file = join(storage.dataDir, 'text.db')
  writeFileSync(file, 'not a database')
  expect((await command('backup', file)).output).toContain('já existe')
  expect((await command('restore', file, '--force')).output).toContain('não é um backup íntegro')
  expect((await command('restore', join(storage.dataDir, 'nothing.db'))).output).toContain('não existe')
  expect(await keys()).toEqual(['kept'])
})

test('without a file name each command says how it is used', async () => {
  expect(await command('backup')).toEqual({ code: 1, output: 'Uso: npm run backup -- ARQUIVO\n' })
  expect(await command('restore')).toEqual({ code: 1, output: 'Uso: npm run restore -- ARQUIVO [--force]\n' })
  expect(existsSync(join(storage.dataDir, 'portico.db'))).toBe(false)
})
