import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { openDatabase } from '#server/db/database.ts'
import { MIGRATION_NAMES, migrate } from '#server/db/migrate.ts'
import { ENGINES, makeStorage, type Storage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { type SpawnedServer, spawnNode, spawnServer, untilReady } from '../support/spawn-server.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function place(
  engine: 'sqlite' | 'postgres' = 'sqlite',
): Promise<{ env: Record<string, string>; url: string; storage: Storage }> {
  const storage = await makeStorage(engine)
  cleanUps.push(storage.remove)
  const port = await freePort()
  return {
    env: { PORT: String(port), ...storage.env },
    url: `http://127.0.0.1:${port}`,
    storage,
  }
}

function start(env: Record<string, string>): SpawnedServer {
  const server = spawnServer(env)
  cleanUps.push(async () => {
    server.child.kill('SIGKILL')
    await server.ended
  })
  return server
}

test.each(ENGINES)(
  'exits with 0 on SIGTERM and SIGINT, and starts again on the same data: %s',
  async (engine) => {
    const { env, url } = await place(engine)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) {
      const server = start(env)
      await untilReady(server, url)
      server.child.kill(signal)
      expect(await server.ended, signal).toBe(0)
    }
  },
)

test.each(ENGINES)('a process older than its database on %s logs it and serves', async (engine) => {
  const { env, url, storage } = await place(engine)
  const database = openDatabase(storage)
  await migrate(database.db)
  await sql`insert into kysely_migration (name, timestamp) values ('9999-of-tomorrow', '2027-01-01')`.execute(
    database.db,
  )
  await database.close()
  const server = start(env)
  await untilReady(server, url)
  expect(server.output()).toContain('9999-of-tomorrow')
  expect(server.output()).toContain('O banco é de uma versão mais nova do Pórtico')
  expect((await fetch(url)).status).toBe(200)
})

test('two processes that start at once on PostgreSQL migrate once and both serve', async () => {
  const first = await place('postgres')
  const port = await freePort()
  const servers = [
    { server: start(first.env), url: first.url },
    { server: start({ ...first.env, PORT: String(port) }), url: `http://127.0.0.1:${port}` },
  ]
  await Promise.all(servers.map(({ server, url }) => untilReady(server, url)))
  const { db, close } = openDatabase(first.storage)
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  await close()
  expect(rows.map(({ name }) => name)).toEqual([...MIGRATION_NAMES].sort())
  // The second process found nothing to do: a migration that ran twice would have failed.
  for (const { server } of servers) expect(server.output()).not.toMatch(/"level":"?(error|warn|50|40)/)
})

test('refuses a second server on the same SQLite directory and names the first', async () => {
  const { env, url } = await place()
  const first = start(env)
  await untilReady(first, url)
  const second = start({ ...env, PORT: String(await freePort()) })
  expect(await second.ended).toBe(1)
  expect(second.output()).toContain(`já está em uso por outro servidor Pórtico, processo ${first.child.pid}`)
  first.child.kill('SIGKILL')
  await first.ended
  const third = start(env)
  await untilReady(third, url)
})

test('announces the first password when it listens, and again until somebody has signed in', async () => {
  const { env, url } = await place()
  const passwordIn = (server: SpawnedServer) => /Senha {3}(\S+)/.exec(server.output())?.[1]
  const holder = createServer().listen(Number(env.PORT), '127.0.0.1')
  const refused = start(env)
  expect(await refused.ended).toBe(1)
  expect(lines(refused)).toEqual([expect.stringContaining('já está em uso')])
  await new Promise((resolve) => holder.close(resolve))
  const printed: (string | undefined)[] = []
  for (let time = 0; time < 2; time++) {
    const server = start(env)
    await untilReady(server, url)
    await expect.poll(() => passwordIn(server)).toBeDefined()
    printed.push(passwordIn(server))
    if (time === 1) {
      const apikey = /"anonKey":"([^"]+)"/.exec(await (await fetch(`${url}/admin`)).text())?.[1] ?? ''
      const answer = await fetch(`${url}/auth/v1/token?grant_type=password`, {
        method: 'POST',
        headers: { apikey, 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'admin@portico.example', password: printed[1] }),
      })
      expect(answer.status).toBe(200)
    }
    server.child.kill('SIGTERM')
    await server.ended
  }
  expect(printed[0]).toBe(printed[1])
  const last = start(env)
  await untilReady(last, url)
  await expect.poll(() => last.output()).toContain('no ar em http://localhost')
  expect(passwordIn(last)).toBeUndefined()
})

describe.each(['emptied', 'gone'])('a database that is %s where a site was', (kind) => {
  async function lose(env: Record<string, string>, url: string, dataDir: string): Promise<string> {
    const first = start(env)
    await untilReady(first, url)
    first.child.kill('SIGTERM')
    await first.ended
    const file = join(dataDir, 'portico.db')
    if (kind === 'gone') rmSync(file)
    else writeFileSync(file, '')
    return file
  }

  test('is refused with the two ways to continue, and created on request', async () => {
    const { env, url, storage } = await place()
    const file = await lose(env, url, storage.dataDir)
    const key = join(storage.dataDir, 'secret.key')
    const keyBytes = readFileSync(key)
    const refused = start(env)
    expect(await refused.ended).toBe(1)
    expect(lines(refused)).toEqual([
      expect.stringMatching(new RegExp(`^O banco de dados ${file} .* já houve um site aqui: ${key}\\.$`)),
      'Para trazê-lo de volta: npm run restore -- ARQUIVO --force',
      'Para começar um site novo, sem os dados do anterior: npm start -- --new-site',
    ])
    expect(existsSync(file) && readFileSync(file).length > 0).toBe(false)
    const server = spawnNode(['dist/server/serve.js', '--new-site'], env)
    cleanUps.push(async () => {
      server.child.kill('SIGKILL')
      await server.ended
    })
    await untilReady(server, url)
    expect(readFileSync(key)).toEqual(keyBytes)
  })

  test('is refused beside backups too, and names the newest', async () => {
    const { env, url, storage } = await place()
    await lose({ ...env, BACKUP_EVERY: '1h' }, url, storage.dataDir)
    rmSync(join(storage.dataDir, 'secret.key'))
    const [backup = ''] = readdirSync(join(storage.dataDir, 'backups'))
    const refused = start(env)
    expect(await refused.ended).toBe(1)
    expect(refused.output()).toContain('1 backup em')
    expect(refused.output()).toContain(
      `npm run restore -- ${join(storage.dataDir, 'backups', backup)} --force`,
    )
  })
})

test('logs damage inside the file while the page is served, and makes no backup of it', async () => {
  const { env, url, storage } = await place()
  const first = start(env)
  await untilReady(first, url)
  first.child.kill('SIGTERM')
  await first.ended
  const file = join(storage.dataDir, 'portico.db')
  const { rootpage } = new DatabaseSync(file)
    .prepare("select rootpage from sqlite_schema where name = 'audit_events_actor_idx'")
    .get() as { rootpage: number }
  const bytes = readFileSync(file)
  bytes.fill(0xff, (rootpage - 1) * 4096, rootpage * 4096)
  writeFileSync(file, bytes)
  const server = start({ ...env, BACKUP_EVERY: '1h' })
  await untilReady(server, url)
  await expect.poll(() => server.output().match(/the database file is damaged/g)?.length).toBe(2)
  expect((await fetch(url)).status).toBe(200)
  expect(existsSync(join(storage.dataDir, 'backups'))).toBe(false)
})

describe('reports in one line and exits with 1', () => {
  test('a port in use', async () => {
    const { env } = await place()
    const holder = createServer().listen(Number(env.PORT), '127.0.0.1')
    cleanUps.push(() => holder.close())
    const server = start({ ...env, PRINCIPAL_ADMIN_PASSWORD: 'ponte-lilas-grafite-58' })
    expect(await server.ended).toBe(1)
    expect(lines(server)).toEqual([
      `A porta ${env.PORT} já está em uso. Pare o outro programa ou defina outra porta em PORT.`,
    ])
  })

  test('a backup folder that cannot be created, in the log, and still serves', async () => {
    const { env, url } = await place()
    const server = start({ ...env, BACKUP_EVERY: '1h', BACKUP_DIR: '/proc/nope' })
    await untilReady(server, url)
    await expect.poll(() => server.output()).toContain('backup failed')
  })

  test('an option that does not exist', async () => {
    const { env } = await place()
    const server = spawnNode(['dist/server/serve.js', '--new-sight'], env)
    expect(await server.ended).toBe(1)
    expect(lines(server)).toEqual(['Uso: npm start -- [--new-site] [--env-file ARQUIVO]'])
  })

  test('a data directory that cannot be used', async () => {
    const { env, storage } = await place()
    const file = join(storage.dataDir, 'a-file')
    writeFileSync(file, '')
    chmodSync(file, 0o600)
    const server = start({ ...env, DATA_DIR: file })
    expect(await server.ended).toBe(1)
    expect(lines(server)).toEqual([expect.stringMatching(/^Não foi possível usar a pasta de dados/)])
  })

  test('a database file that is damaged, and which one', async () => {
    const { env, storage } = await place()
    const file = join(storage.dataDir, 'portico.db')
    writeFileSync(file, 'x'.repeat(8192))
    const server = start(env)
    expect(await server.ended).toBe(1)
    expect(lines(server)).toEqual([
      `O banco ${file} está danificado (file is not a database). Guarde uma cópia e restaure um backup: npm run restore -- ARQUIVO --force`,
    ])
  })

  test('a database file with a broken root page', async () => {
    const { env, url, storage } = await place()
    const first = start(env)
    await untilReady(first, url)
    first.child.kill('SIGTERM')
    await first.ended
    const file = join(storage.dataDir, 'portico.db')
    const { rootpage } = new DatabaseSync(file)
      .prepare("select rootpage from sqlite_schema where name = 'auth_users'")
      .get() as { rootpage: number }
    const bytes = readFileSync(file)
    bytes.fill(0xff, (rootpage - 1) * 4096, rootpage * 4096)
    writeFileSync(file, bytes)
    const server = start(env)
    expect(await server.ended).toBe(1)
    expect(lines(server)).toEqual([
      `O banco ${file} está danificado (database disk image is malformed). Guarde uma cópia e restaure um backup: npm run restore -- ARQUIVO --force`,
    ])
  })

  test('a database that cannot be reached', async () => {
    const { env } = await place('postgres')
    const server = start({ ...env, DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/nothing` })
    expect(await server.ended).toBe(1)
    expect(lines(server)).toEqual([
      expect.stringMatching(/^Não foi possível preparar o banco de dados: .*ECONNREFUSED/),
    ])
  })

  test('a wrong configuration with all errors at once, without starting', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'portico-test-'))
    cleanUps.push(() => rmSync(directory, { recursive: true }))
    const dataDir = join(directory, 'never-made')
    const server = start({
      PORT: 'many',
      CONTACT_EMAIL: 'nobody',
      DATABASE_URL: 'mysql://secret@x',
      DATA_DIR: dataDir,
    })
    // EX_CONFIG, which the systemd unit does not retry.
    expect(await server.ended).toBe(78)
    expect(readFileSync('deploy/portico.service', 'utf8')).toContain('\nRestartPreventExitStatus=78\n')
    expect(server.output()).toMatch(/3 erros/)
    for (const name of ['PORT', 'CONTACT_EMAIL', 'DATABASE_URL']) expect(server.output()).toContain(name)
    expect(server.output()).not.toContain('secret')
    expect(existsSync(dataDir)).toBe(false)
  })
})

test('finishes a running request after the signal, then exits', async () => {
  const { env, url } = await place()
  const server = start(env)
  await untilReady(server, url)
  const socket = connect(Number(env.PORT), '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  await new Promise((resolve) => socket.once('connect', resolve))
  // A request without its last header line: it is running when the server gets the signal.
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n')
  await fetch(`${url}/healthz`)
  server.child.kill('SIGTERM')
  await expect
    .poll(() =>
      fetch(`${url}/healthz`).then(
        () => 'open',
        () => 'closed',
      ),
    )
    .toBe('closed')
  socket.write('\r\n')
  expect(await server.ended).toBe(0)
  expect(answer).toContain('{"status":"ok"}')
})

function lines(server: SpawnedServer): string[] {
  return server.output().trim().split('\n')
}

test('drains after the first signal: not ready, but serving; exits at once after the second', async () => {
  const { env, url } = await place()
  const server = start({ ...env, DRAIN_SECONDS: '60' })
  await untilReady(server, url)
  server.child.kill('SIGTERM')
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503)
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'draining' })
  expect((await fetch(`${url}/readyz/serve`)).status).toBe(503)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const page = await fetch(url)
  expect([page.status, page.headers.get('connection')]).toEqual([200, 'close'])
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(1)
  expect(server.output()).toContain('second stop signal')
})
