import { spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/database.ts'
import { prepareDatabase } from '#server/secrets/encrypted-database.ts'
import { readSecretKeyFile } from '#server/secrets/secret-key.ts'
import type { SecretBox } from '#server/secrets/secrets.ts'
import { writeDocRow } from '../support/doc-table.ts'
import { failOnProblem, makeStorage, type Storage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { insertSecrets, openAll, textsOf } from '../support/secret-rows.ts'
import { spawnNode, spawnServer, untilReady, watchProcess } from '../support/spawn-server.ts'

let storage: Storage
beforeEach(async () => {
  storage = await makeStorage('sqlite')
})
afterEach(() => storage.remove())

async function command(
  name: 'backup' | 'restore',
  ...args: string[]
): Promise<{ code: unknown; output: string }> {
  const run = spawnNode([`dist/server/${name}.js`, ...args], { DATA_DIR: storage.dataDir })
  return { code: await run.ended, output: run.output() }
}

async function withDatabase<T>(
  work: (db: ReturnType<typeof openDatabase>['db'], secrets: SecretBox) => Promise<T>,
): Promise<T> {
  const database = openDatabase(storage)
  const secrets = await prepareDatabase(parseConfig(storage.env), database.db, failOnProblem)
  try {
    return await work(database.db, secrets)
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

test('a backup taken beside a live server restores what was there', async () => {
  const port = await freePort()
  const server = spawnServer({ PORT: String(port), DATA_DIR: storage.dataDir })
  await untilReady(server, `http://127.0.0.1:${port}`)
  await write('before')
  const file = join(storage.dataDir, 'copy.db')
  const keyFile = join(storage.dataDir, 'secret.key')
  const [key] = (await readSecretKeyFile(keyFile)) ?? []
  expect(await command('backup', file)).toEqual({
    code: 0,
    output: expect.stringMatching(
      /^Backup salvo em .+ e verificado: \d+ registros em \d+ tabelas\.\nA fila de envio estava vazia: .+\.\nO backup não inclui a chave dos segredos \(\S+\)\. Guarde uma cópia de .+ em outro lugar\.\n$/,
    ),
  })
  expect(readFileSync(file).includes(Buffer.from(key?.bytes ?? []).toString('base64url'))).toBe(false)
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

test('a backup never overwrites a file', async () => {
  await write('kept')
  const file = join(storage.dataDir, 'text.db')
  writeFileSync(file, 'not a database')
  expect((await command('backup', file)).output).toContain(`O arquivo ${file} já existe`)
  expect(readFileSync(file, 'utf8')).toBe('not a database')
})

test('refuses anything but a complete backup with its path and what to do, and changes nothing', async () => {
  await write('kept')
  const good = join(storage.dataDir, 'good.db')
  await command('backup', good)
  const size = statSync(good).size
  const damage = (name: string, change: (file: string) => void) => {
    const file = join(storage.dataDir, name)
    copyFileSync(good, file)
    change(file)
    return file
  }
  const query = (text: string) => (file: string) => {
    const database = new DatabaseSync(file)
    database.exec(text)
    database.close()
  }
  const cases: [string, RegExp][] = [
    [join(storage.dataDir, 'nothing.db'), /não existe\. Confira o caminho/],
    [storage.dataDir, /não é um arquivo\. Confira o caminho/],
    [damage('empty.db', (file) => writeFileSync(file, '')), /está vazio \(0 bytes\).*use outro/],
    [
      damage('text.db', (file) => writeFileSync(file, 'not a database')),
      /está danificado ou não é um backup.*use outro backup/,
    ],
    [
      damage('cut.db', (file) => writeFileSync(file, readFileSync(file).subarray(0, size / 2))),
      /está danificado ou não é um backup.*use outro backup/,
    ],
    [
      damage('zeros.db', (file) => writeFileSync(file, readFileSync(file).fill(0, 4096, size - 4096))),
      /está danificado ou não é um backup.*use outro backup/,
    ],
    [damage('other.db', query('drop table tracking_pixels')), /mas não do Pórtico\. Confira o caminho/],
    [
      damage('newer.db', query("insert into kysely_migration values ('9999-later', '2030-01-01')")),
      /versão mais nova do Pórtico \(9999-later\)\. Atualize o Pórtico/,
    ],
  ]
  for (const [file, words] of cases) {
    const { code, output } = await command('restore', file, '--force')
    expect([code, output]).toEqual([1, expect.stringMatching(words)])
    expect(output).toContain(file)
    expect(output.trim().split('\n')).toHaveLength(1)
  }
  expect(await keys()).toEqual(['kept'])
  expect(readdirSync(storage.dataDir).filter((name) => /incoming|partial/.test(name))).toEqual([])
})

test('does not restore a backup of another key, and names both; without the key, restores the rest', async () => {
  const rows = await withDatabase((db, secrets) => insertSecrets(db, secrets))
  await write('before')
  const file = join(storage.dataDir, 'copy.db')
  await command('backup', file)
  const keyFile = join(storage.dataDir, 'secret.key')
  const [own] = (await readSecretKeyFile(keyFile)) ?? []
  const safe = readFileSync(keyFile)

  // A new machine with its own database and key.
  for (const name of ['portico.db', 'portico.db-wal', 'portico.db-shm', 'secret.key'])
    rmSync(join(storage.dataDir, name), { force: true })
  await write('new')
  const [other] = (await readSecretKeyFile(keyFile)) ?? []
  const refused = await command('restore', file, '--force')
  expect(refused.code).toBe(1)
  for (const id of [own?.id, other?.id]) expect(refused.output).toContain(id)
  expect(refused.output).toContain('Nada foi alterado')
  expect(await keys()).toEqual(['new'])

  const given = await command('restore', file, '--force', '--discard-secrets')
  expect(given).toMatchObject({
    code: 0,
    output: expect.stringContaining('Perderam a verificação em duas etapas'),
  })
  expect(await keys()).toEqual(['before'])

  // The key is found again, and the database is damaged meanwhile.
  writeFileSync(keyFile, safe)
  writeFileSync(join(storage.dataDir, 'portico.db'), 'x'.repeat(8192))
  expect((await command('restore', file, '--force')).code).toBe(0)
  expect(await withDatabase((db, secrets) => openAll(db, secrets, rows))).toEqual(textsOf(rows))
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B12g',
    'a backup restored where the key is another one',
    'it is refused before anything is replaced, naming both keys; `--discard-secrets` restores the rest',
    '`tests/process/backup.full.test.ts`',
  ])
})

test('under a umask of 022, in a folder of 0755, all files of server and commands are readable by their owner only', async () => {
  chmodSync(storage.dataDir, 0o755)
  const outside = join(storage.dataDir, 'elsewhere')
  mkdirSync(outside)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const open = (...args: string[]) =>
    watchProcess(
      spawn('sh', ['-c', 'umask 022; exec "$@"', 'sh', process.execPath, ...args], {
        env: { PATH: process.env.PATH ?? '', PORT: String(port), ...storage.env },
      }),
    )
  const server = open('dist/server/serve.js')
  await untilReady(server, url)
  const backup = open('dist/server/backup.js', join(outside, 'copy.db'))
  expect(await backup.ended).toBe(0)
  const exported = open('dist/server/newsletter.js', 'export', join(outside, 'people.csv'))
  expect(await exported.ended).toBe(0)
  const modes = () =>
    Object.fromEntries(
      ['.', ...readdirSync(storage.dataDir, { recursive: true }).map(String)].map((name) => [
        name,
        (statSync(join(storage.dataDir, name)).mode & 0o777).toString(8),
      ]),
    )
  const closed = {
    '.': '700',
    'elsewhere/copy.db': '600',
    'elsewhere/people.csv': '600',
    'lock.db': '600',
    'portico.db': '600',
    'portico.db-shm': '600',
    'portico.db-wal': '600',
    'secret.key': '600',
    'server.pid': '600',
  }
  const { elsewhere: _ours, ...whileRunning } = modes()
  expect(whileRunning).toMatchObject(closed)
  expect(Object.values(whileRunning).filter((mode) => !/00$/.test(mode))).toEqual([])
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  const restore = open('dist/server/restore.js', join(outside, 'copy.db'), '--force')
  expect(await restore.ended).toBe(0)
  expect(modes()['portico.db']).toBe('600')
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B12h',
    'server, backup, restore and export under a umask of 022, in a `DATA_DIR` of 0755',
    'every file is 0600 and the folder 0700',
    '`tests/process/backup.full.test.ts`',
  ])
})

test('shows the usage of each command without a file name', async () => {
  expect(await command('backup')).toEqual({
    code: 1,
    output: 'Uso: npm run backup -- ARQUIVO [--encrypt-to CHAVE_PUBLICA_AGE]\n',
  })
  expect(await command('restore')).toEqual({
    code: 1,
    output: 'Uso: npm run restore -- ARQUIVO [--force] [--identity ARQUIVO] [--discard-secrets]\n',
  })
  expect(existsSync(join(storage.dataDir, 'portico.db'))).toBe(false)
})
