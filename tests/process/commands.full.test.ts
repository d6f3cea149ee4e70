import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { parseConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/database.ts'
import { prepareDatabase } from '#server/secrets/encrypted-database.ts'
import { ENGINES, failOnProblem, makeStorage, type Storage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { spawnNode, untilReady } from '../support/spawn-server.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function run(command: string, args: string[], env: Record<string, string>) {
  const child = spawnNode([`dist/server/${command}.js`, ...args], env)
  const code = await child.ended
  expect(child.output(), `${command} ${args.join(' ')}`).not.toMatch(/\n\s+at /)
  return { code, output: child.output() }
}

async function prepare(storage: Storage): Promise<void> {
  const { db, close } = openDatabase(storage)
  await prepareDatabase(parseConfig(storage.env), db, failOnProblem)
  await close()
}

const NEED_A_DATABASE: [string, string[]][] = [
  ['admin', ['reset-password', 'ana@exemplo.com.br']],
  ['admin', ['remove-factors', 'ana@exemplo.com.br']],
  ['admin', ['keys']],
  ['admin', ['make-key', 'loja']],
  ['admin', ['list-keys']],
  ['admin', ['revoke-key', 'loja']],
  ['admin', ['rotate-keys']],
  ['admin', ['rotate-secret-key']],
  ['admin', ['discard-secrets']],
  ['admin', ['confirm-clock']],
  ['backup', ['copy.db']],
  ['export', ['all.jsonl']],
  ['import-supabase', ['package.json']],
  ['newsletter', ['status']],
  ['evidence', ['export']],
]

describe('without a database', () => {
  test('no command creates one, nor the folder', async () => {
    const dataDir = join(folder, 'wrong')
    for (const [command, args] of NEED_A_DATABASE) {
      const { code, output } = await run(command, args, { DATA_DIR: dataDir })
      expect([code, output], `${command} ${args[0]}`).toEqual([
        1,
        expect.stringMatching(new RegExp(`^Não há banco de dados.* em ${dataDir}\\.`)),
      ])
      expect(existsSync(dataDir), command).toBe(false)
    }
  })

  test('an empty file stays empty, and an empty PostgreSQL has no tables', async () => {
    writeFileSync(join(folder, 'portico.db'), '')
    expect((await run('admin', ['keys'], { DATA_DIR: folder })).code).toBe(1)
    expect(readdirSync(folder)).toEqual(['portico.db'])
    const storage = await makeStorage('postgres')
    try {
      const { code, output } = await run('admin', ['rotate-keys'], storage.env)
      expect([code, output]).toEqual([1, expect.stringContaining('Não há banco de dados do Pórtico')])
      const name = /\/(t_[0-9a-f]+)/.exec(storage.databaseUrl ?? '')?.[1] ?? ''
      const client = new pg.Client({ host: inject('postgresSocket'), user: 'postgres', database: name })
      await client.connect()
      const { rows } = await client.query("select 1 from pg_tables where schemaname = 'public'")
      await client.end()
      expect(rows).toEqual([])
    } finally {
      await storage.remove()
    }
  })
})

test.each(ENGINES)("every command reads the service's settings from --env-file: %s", async (engine) => {
  const storage = await makeStorage(engine)
  try {
    await prepare(storage)
    const file = join(folder, 'portico.env')
    writeFileSync(
      file,
      Object.entries(storage.env)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    )
    for (const args of [
      ['list-keys', '--env-file', file],
      [`--env-file=${file}`, 'list-keys'],
    ])
      expect(await run('admin', args, {})).toEqual({
        code: 0,
        output: 'Nenhuma chave de serviço. Crie uma: npm run admin -- make-key NOME\n',
      })
    expect((await run('newsletter', ['status', '--env-file', file], {})).output).toContain('Enviadas')
    expect((await run('export', [join(folder, 'all'), '--env-file', file], {})).code).toBe(0)
    expect((await run('evidence', ['export', join(folder, 'proof'), '--env-file', file], {})).code).toBe(0)
    const confirmed = await run('admin', ['confirm-clock', '--env-file', file], {})
    expect(confirmed.output).toMatch(/^Relógio confirmado: /)
    // Node looks for the file itself, before the command does.
    const missing = await run('admin', ['keys', '--env-file', join(folder, 'missing')], {})
    expect(missing.code).not.toBe(0)
    expect(missing.output).toContain(join(folder, 'missing'))
  } finally {
    await storage.remove()
  }
})

test('reports wrong usage in one sentence', async () => {
  const storage = await makeStorage('sqlite')
  try {
    await prepare(storage)
    const proof = join(folder, 'proof.json')
    expect((await run('evidence', ['export', proof], storage.env)).code).toBe(0)
    const cases: [string, string[], RegExp][] = [
      [
        'restore',
        ['copy.db', '--forse'],
        /^A opção --forse não existe ou pede outro valor\.\nUso: npm run restore/,
      ],
      ['restore', ['a.db', 'b.db'], /^Uso: npm run restore/],
      ['import', ['all', '--discard'], /^A opção --discard não existe.*\nUso: npm run import/],
      ['backup', ['copy.db', '--encrypt'], /^A opção --encrypt não existe.*\nUso: npm run backup/],
      ['export', [], /^Uso: npm run export -- ARQUIVO$/m],
      ['export', ['--all'], /^A opção --all não existe/],
      ['export', [join(folder, 'nowhere', 'all')], /nowhere\/all não existe\. Confira o caminho\./],
      ['newsletter', ['export', join(folder, 'nowhere', 'all')], /nowhere\/all não existe\./],
      ['evidence', ['export', join(folder, 'nowhere', 'all')], /nowhere\/all não existe\./],
      ['backup', [join(folder, 'nowhere', 'copy.db')], /nowhere\/copy\.db/],
      ['admin', ['make-key', 'loja', '--day', '3'], /^A opção --day não existe/],
    ]
    for (const [command, args, words] of cases)
      expect(await run(command, args, storage.env), `${command} ${args.join(' ')}`).toEqual({
        code: 1,
        output: expect.stringMatching(words),
      })
  } finally {
    await storage.remove()
  }
})

test('reports unreadable published checkpoints in one sentence', async () => {
  const storage = await makeStorage('sqlite')
  try {
    await prepare(storage)
    const file = join(folder, 'proof.json')
    const { db, close } = openDatabase(storage)
    await db
      .insertInto('consent_records')
      .values({
        id: crypto.randomUUID(),
        consent_id: crypto.randomUUID(),
        action: 'reject',
        categories: '[]',
        text_version: 1,
        tag_set_version: 'x',
        created_at: new Date().toISOString(),
      })
      .execute()
    await close()
    expect((await run('evidence', ['export', file], storage.env)).code).toBe(0)
    for (const place of [`http://127.0.0.1:${await freePort()}`, 'http://', join(folder, 'none'), file])
      expect(await run('evidence', ['verify', file, '--seals', place], {}), place).toEqual({
        code: 1,
        output: expect.stringContaining(`Não foi possível ler os selos publicados em ${place}`),
      })
  } finally {
    await storage.remove()
  }
})

test('reset-password lifts the lock after wrong passwords', async () => {
  const storage = await makeStorage('sqlite')
  const port = await freePort()
  const env = { ...storage.env, PORT: String(port), PRINCIPAL_ADMIN_PASSWORD: 'ponte-lilas-grafite-58' }
  const server = spawnNode(['dist/server/serve.js'], env)
  const url = `http://127.0.0.1:${port}`
  try {
    await untilReady(server, url)
    const apikey = /"anonKey":"([^"]+)"/.exec(await (await fetch(`${url}/admin`)).text())?.[1] ?? ''
    let cookie = ''
    const signIn = async (password: string) => {
      const answer = await fetch(`${url}/auth/v1/token?grant_type=password`, {
        method: 'POST',
        headers: {
          apikey,
          'content-type': 'application/json',
          origin: `http://localhost:${port}`,
          'sec-fetch-site': 'same-origin',
          cookie,
        },
        body: JSON.stringify({ email: 'admin@portico.example', password }),
      })
      cookie =
        answer.headers
          .getSetCookie()
          .map((line) => line.split(';')[0])
          .join('; ') || cookie
      return answer.status
    }
    const reset = async () =>
      /: (\S+)\n/.exec((await run('admin', ['reset-password', 'admin@portico.example'], env)).output)?.[1] ??
      ''
    let password = 'ponte-lilas-grafite-58'
    // First as a stranger, then from a known browser.
    for (const who of ['stranger', 'known browser']) {
      for (let guess = 0; guess < 11; guess++) await signIn('errada-errada-errada')
      expect(await signIn(password), who).toBe(429)
      password = await reset()
      expect(await signIn(password), who).toBe(200)
    }
    expect(cookie).toContain('portico-device')
  } finally {
    server.child.kill('SIGTERM')
    await server.ended
    await storage.remove()
  }
})
