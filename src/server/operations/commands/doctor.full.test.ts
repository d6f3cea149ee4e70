import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { afterEach, expect, inject, test } from 'vitest'
import { type Config, parseConfig } from '#server/config.ts'
import { type Db, openDatabase } from '#server/db/database.ts'
import { publicPolicy } from '#server/http/security/content-security-policy.ts'
import { pageHeaders } from '#server/http/security/headers.ts'
import { prepareDatabase } from '#server/secrets/encrypted-database.ts'
import { makeSecretKey, replaceSecretKeyFile } from '#server/secrets/secret-key.ts'
import { ENGINES, type EngineName, failOnProblem, makeStorage, type Storage } from '#tests/support/engines.ts'
import { freePort } from '#tests/support/free-port.ts'
import { spawnNode, spawnProgram } from '#tests/support/spawn-server.ts'
import { checkPlace, checkReach, checkServices, type Finding, faultOf, judgeConnections } from './doctor.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function place(config: Config): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const finding of checkPlace(config)) findings.push(finding)
  return findings
}
const levels = (findings: readonly Finding[]) => findings.map(({ level }) => level)

test.each(ENGINES)(
  'on %s reports a healthy installation, and a missing key with the way out',
  async (engine) => {
    const storage = await makeStorage(engine)
    cleanUps.push(storage.remove)
    const config = parseConfig(storage.env)
    const { db, close } = openDatabase(storage)
    await prepareDatabase(config, db, failOnProblem)
    await close()
    expect(new Set(levels(await place(config)))).toEqual(new Set(['ok']))
    await replaceSecretKeyFile(config.secretKey.file, [await makeSecretKey()])
    const faults = (await place(config)).filter(({ level }) => level === 'bad')
    expect(faults).toEqual([
      expect.objectContaining({
        what: expect.stringContaining('não tem a chave'),
        mend: expect.stringContaining('discard-secrets'),
      }),
    ])
  },
)

test.each([
  [{ room: 97, processes: 4, each: 10 }, 'ok', 'cabem 9 processos (agora: 4)'],
  [{ room: 10, processes: 0, each: 10 }, 'ok', 'cabe 1 processo (agora: 0)'],
  [{ room: 47, processes: 16, each: 10 }, 'warn', '16 processos precisam de 160'],
  [{ room: -2, processes: 0, each: 10 }, 'warn', 'tem 0 para o Pórtico, mas um processo precisa de 10'],
])('says whether the connections fit: %o', (facts, level, part) => {
  expect(judgeConnections(facts)).toMatchObject({ level, what: expect.stringContaining(part) })
})

test('counts processes and the limit of the database', async () => {
  const storage = await makeStorage('postgres', { isMigrated: true })
  cleanUps.push(storage.remove)
  const config = parseConfig({ ...storage.env, DATABASE_POOL_SIZE: '3' })
  const { db, close } = openDatabase(config)
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  await sql`alter database ${sql.ref(rows[0]?.name ?? '')} connection limit 12`.execute(db)
  await close()
  const running = new pg.Client({
    connectionString: storage.databaseUrl ?? '',
    application_name: 'portico 1 a',
  })
  await running.connect()
  cleanUps.push(() => running.end())
  expect(await place(config)).toContainEqual(
    expect.objectContaining({ what: expect.stringContaining('cabem 4 processos (agora: 1)') }),
  )
})

test('accepts a missing database before the first start, and reports an unreachable PostgreSQL', async () => {
  const storage = await makeStorage('sqlite')
  cleanUps.push(storage.remove)
  expect(levels(await place(parseConfig(storage.env)))).toEqual(['ok', 'warn'])
  const away = { DATABASE_URL: `postgres://x@127.0.0.1:${await freePort()}/x`, SECRET_KEY_FILE: '/dev/null' }
  await expect(place(parseConfig({ ...storage.env, ...away }))).rejects.toSatisfy(
    (error) => faultOf(error).what === 'nada responde no endereço de DATABASE_URL',
  )
})

async function answering(headers: Record<string, string>): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(200, headers).end('ok'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('checks the site as visitors reach it', async () => {
  const look = (SITE_URL: string) => checkReach(parseConfig({ SITE_URL }))
  const headers = pageHeaders(publicPolicy({ origins: ['http://x'], styleHashes: [], scriptHashes: ['y'] }), {
    hsts: null,
  })
  const whole = await answering(headers)
  expect(levels(await look(whole))).toEqual(['ok', 'ok'])
  for (const [changed, named] of [
    [{ 'content-security-policy': "default-src 'none'" }, 'script-src'],
    [
      { 'content-security-policy': headers['content-security-policy']?.replace('object-src', 'x') },
      'object-src',
    ],
    [{ 'x-content-type-options': 'sniff' }, 'x-content-type-options'],
  ] as const) {
    const [finding] = await look(await answering({ ...headers, ...changed } as Record<string, string>))
    expect(finding).toMatchObject({ level: 'bad', what: expect.stringContaining(named) })
  }
  const [stripped] = await look(await answering({}))
  expect(stripped).toMatchObject({ level: 'bad', mend: expect.stringContaining('cabeçalhos') })
  const late = new Date(Date.now() - 300_000).toUTCString()
  const clocks = await look(await answering({ ...headers, date: late }))
  expect(clocks[1]).toMatchObject({ level: 'bad', mend: expect.stringContaining('NTP') })
  const [away] = await look(`http://127.0.0.1:${await freePort()}`)
  expect(away).toMatchObject({ level: 'bad', what: expect.stringContaining('ECONNREFUSED') })
  const [tls] = await look(whole.replace('http:', 'https:'))
  expect(tls).toMatchObject({ level: 'bad', mend: expect.stringContaining('certificado') })
})

test('checks mail and webhook without sending anything', async () => {
  expect(levels(await checkServices(parseConfig({})))).toEqual(['warn', 'warn'])
  const nobody = `127.0.0.1:${await freePort()}`
  const away = { SMTP_URL: `smtp://u:segredo@${nobody}`, NEWSLETTER_WEBHOOK_URL: `http://${nobody}/` }
  const findings = await checkServices(parseConfig(away))
  expect(levels(findings)).toEqual(['bad', 'bad'])
  expect(JSON.stringify(findings)).not.toContain('segredo')
  const there = { NEWSLETTER_WEBHOOK_URL: await answering({}), NEWSLETTER_WEBHOOK_SECRET: 'segredo' }
  expect(levels(await checkServices(parseConfig(there)))).toEqual(['warn', 'ok'])
})

test('reports each configuration error with its fix and exits with 1', async () => {
  const run = spawnNode(['src/server/operations/commands/cli.ts', 'doctor'], {
    PORT: 'x',
    SMTP_URL: 'http://a',
  })
  expect(await run.ended).toBe(1)
  expect(run.output()).toMatch(
    /✗ PORT precisa ser .*\n {4}→ Corrija[\s\S]*✗ SMTP_URL precisa ser[\s\S]*2 erros/,
  )
})

test('reports missing mail once', async () => {
  const run = spawnNode(['src/server/operations/commands/cli.ts', 'doctor'], {
    SITE_URL: `http://portico.example:${await freePort()}`,
    DATA_DIR: '/nonexistent/portico',
  })
  await run.ended
  expect(run.output().match(/SMTP_URL/g)).toHaveLength(1)
  expect(run.output()).toContain('a configuração é válida')
})

test.each(ENGINES)('on %s reports a clock jump and how to confirm it', async (engine) => {
  const { config, run } = await made(engine)
  await run(sql`update site_state set clock_seen_at = '2020-01-01T00:00:00.000Z'`)
  expect((await place(config)).filter(({ level }) => level !== 'ok')).toEqual([
    expect.objectContaining({ what: expect.stringContaining('confirm-clock') }),
  ])
})

/** PostgreSQL's addresses are looser than the URL standard. */
const nameIn = ({ databaseUrl }: Storage) => /\/(t_[0-9a-f]+)/.exec(databaseUrl ?? '')?.[1] ?? ''

async function made(engine: EngineName) {
  const storage = await makeStorage(engine)
  cleanUps.push(storage.remove)
  const config = parseConfig(storage.env)
  const onDatabase = async (work: (db: Db) => Promise<unknown>) => {
    const { db, close } = openDatabase(storage)
    await work(db)
    await close()
  }
  await onDatabase((db) => prepareDatabase(config, db, failOnProblem))
  return {
    storage,
    config,
    run: (statement: RawBuilder<unknown>) => onDatabase((db) => statement.execute(db)),
  }
}

/** The output of the command in its own process. */
async function doctor(env: Record<string, string>): Promise<string> {
  const run = spawnNode(['src/server/operations/commands/cli.ts', 'doctor'], env)
  expect(await run.ended).toBe(1)
  expect(run.output()).not.toMatch(/\n\s+at /)
  return run.output()
}

test('reports an empty file beside a key and backups with the two ways to continue', async () => {
  const { storage } = await made('sqlite')
  writeFileSync(join(storage.dataDir, 'portico.db'), '')
  const told = await doctor(storage.env)
  expect(told).toContain('está vazio (0 bytes), mas já houve um site aqui')
  expect(told).toContain('--new-site')
  expect(told).toContain('MB livres')
})

test('reports a damaged page, after earlier findings', async () => {
  const { storage } = await made('sqlite')
  const file = join(storage.dataDir, 'portico.db')
  const { rootpage } = new DatabaseSync(file)
    .prepare("select rootpage from sqlite_schema where name = 'audit_events'")
    .get() as { rootpage: number }
  const bytes = readFileSync(file)
  bytes.fill(0xff, (rootpage - 1) * 4096, rootpage * 4096)
  writeFileSync(file, bytes)
  const told = await doctor(storage.env)
  expect(told).toContain('✓ a configuração é válida')
  expect(told).toContain('está atualizado para esta versão')
  expect(told).toMatch(/✗ O banco .*portico\.db está danificado/)
})

test.each([
  ['reads only', 'só aceita leitura'],
  ['gives no rights', 'não tem as permissões'],
])('reports a PostgreSQL that %s', async (kind, words) => {
  const { storage } = await made('postgres')
  const name = nameIn(storage)
  const client = new pg.Client({ host: inject('postgresSocket'), user: 'postgres', database: name })
  await client.connect()
  const role = `r_${name}`
  if (kind === 'reads only')
    await client.query(`alter database ${name} set default_transaction_read_only = on`)
  else {
    await client.query(`create role ${role} login`)
    await client.query(`grant select on kysely_migration to ${role}`)
    // After the database, in which it has rights.
    cleanUps.unshift(async () => {
      const admin = new pg.Client({ host: inject('postgresSocket'), user: 'postgres', database: 'postgres' })
      await admin.connect()
      await admin.query(`drop role if exists ${role}`)
      await admin.end()
    })
  }
  await client.end()
  const databaseUrl =
    kind === 'reads only' ? storage.databaseUrl : storage.databaseUrl?.replace('postgres@', `${role}@`)
  const told = await doctor({ ...storage.env, DATABASE_URL: databaseUrl ?? '' })
  expect(told).toContain('✓ a configuração é válida')
  expect(told).toContain('está atualizado para esta versão')
  expect(told).toContain(words)
})

test('reports a missing database and an unreachable PostgreSQL', async () => {
  const { storage } = await made('postgres')
  const absent = storage.databaseUrl?.replace(/\/t_[0-9a-f]+/, '/nowhere') ?? ''
  expect(await doctor({ ...storage.env, DATABASE_URL: absent })).toContain('não existe no servidor')
  const away = `postgres://x@127.0.0.1:${await freePort()}/x`
  expect(await doctor({ ...storage.env, DATABASE_URL: away })).toContain('nada responde no endereço')
})

test.each([
  [
    'a folder that cannot be written',
    'mount --bind "$DATA_DIR" "$DATA_DIR" && mount -o remount,bind,ro "$DATA_DIR"',
    /só de leitura|só permite leitura/,
  ],
  [
    'a full disk',
    'cp -a "$DATA_DIR" /tmp/portico-copy-$$ && mount -t tmpfs -o size=3m tmpfs "$DATA_DIR" && cp -a /tmp/portico-copy-$$/. "$DATA_DIR" && rm -r /tmp/portico-copy-$$ && (cat /dev/zero > "$DATA_DIR/filler" 2>/dev/null; true)',
    /está cheio/,
  ],
])('reports %s without a stack', async (_what, prepare, words) => {
  const { storage } = await made('sqlite')
  const run = spawnProgram(
    [
      'unshare',
      '--map-root-user',
      '--mount',
      'sh',
      '-c',
      `${prepare} && exec "$0" "$@"`,
      process.execPath,
      'src/server/operations/commands/cli.ts',
      'doctor',
    ],
    storage.env,
  )
  expect(await run.ended).toBe(1)
  expect(run.output()).toMatch(words)
  expect(run.output()).toContain('✓ a configuração é válida')
  expect(run.output()).not.toMatch(/\n\s+at /)
})
