import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { AuthClient } from '@supabase/auth-js'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { parseConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/database.ts'
import { prepareDatabase } from '#server/secrets/encrypted-database.ts'
import { readSecretKeyFile } from '#server/secrets/secret-key.ts'
import { sumCounts } from '#server/stats/counts.ts'
import { Authenticator } from '../support/authenticator.ts'
import { writeDocRow } from '../support/doc-table.ts'
import { type EngineName, failOnProblem, makeStorage, type Storage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { filesHolding } from '../support/raw-files.ts'
import { insertSecrets, openAll, type SecretRow, textsOf } from '../support/secret-rows.ts'
import { type SpawnedServer, spawnNode, spawnServer, untilReady } from '../support/spawn-server.ts'

const PRINCIPAL = { email: 'principal@portico.example', password: 'ponte-lilas-grafite-58' }
const RANDOM_KILLS = 4
const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function place(engine: EngineName): Promise<Storage> {
  const storage = await makeStorage(engine)
  cleanUps.push(storage.remove)
  return storage
}

function start(env: Record<string, string>): SpawnedServer {
  const principal = { PRINCIPAL_ADMIN_EMAIL: PRINCIPAL.email, PRINCIPAL_ADMIN_PASSWORD: PRINCIPAL.password }
  const server = spawnServer({ ...principal, ...env })
  cleanUps.push(async () => {
    server.child.kill('SIGKILL')
    await server.ended
  })
  return server
}

async function serve(storage: Storage): Promise<{ url: string; server: SpawnedServer }> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = start({ ...storage.env, PORT: String(port) })
  await untilReady(server, url)
  return { url, server }
}

/** The page, as a browser opens it; `fetch` would say that a script asks for it. */
async function visit(url: string): Promise<void> {
  const headers = { 'user-agent': BROWSER, 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' }
  const [answer] = await once(get(url, { headers, agent: false }), 'response')
  answer.resume()
  await once(answer, 'end')
}

async function admin(env: Record<string, string>, ...args: string[]): Promise<string> {
  const command = spawnNode(['dist/server/admin.js', ...args], env)
  const code = await command.ended
  return `${code}\n${command.output()}`
}

const keyIds = async (file: string) => ((await readSecretKeyFile(file)) ?? []).map((key) => key.id)
const fileOf = (storage: Storage) => parseConfig(storage.env).secretKey.file

async function signIn(storage: Storage, url: string): Promise<InstanceType<typeof AuthClient>> {
  const [anon = ''] = (await admin(storage.env, 'keys')).match(/eyJ\S+/g) ?? []
  const auth = new AuthClient({
    url: `${url}/auth/v1`,
    headers: { apikey: anon },
    persistSession: false,
    autoRefreshToken: false,
  })
  expect((await auth.signInWithPassword(PRINCIPAL)).error).toBeNull()
  return auth
}

async function enrol(auth: InstanceType<typeof AuthClient>) {
  const { data } = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Celular' })
  if (data?.type !== 'totp') throw new Error('no factor')
  const app = new Authenticator(data.totp.secret)
  const verify = async () =>
    (await auth.mfa.challengeAndVerify({ factorId: data.id, code: await app.next() })).error
  expect(await verify()).toBeNull()
  return { verify, secret: data.totp.secret }
}

test('PostgreSQL without a key does not start, explains how to make one, and starts with it', async () => {
  const storage = await place('postgres')
  const { SECRET_KEY_FILE: _given, ...env } = storage.env
  const refused = start({ ...env, PORT: String(await freePort()) })
  expect(await refused.ended).toBe(78)
  expect(refused.output()).toContain('SECRET_KEY_FILE é obrigatória com DATABASE_URL')
  expect(refused.output()).toContain('npm run admin -- make-secret-key')
  const { db, close } = openDatabase(storage)
  expect(await db.introspection.getTables()).toEqual([])
  await close()

  const file = join(storage.dataDir, 'made.key')
  const made = await admin({}, 'make-secret-key', file)
  expect(made).toMatch(/^0\nChave \S+ salva em /)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const content = readFileSync(file, 'utf8')
  expect(await admin({}, 'make-secret-key', file)).toMatch(/^1\nO arquivo .* já existe e não foi alterado/)
  expect(await admin({}, 'make-secret-key', file, '--if-absent')).toMatch(/^0\nA chave .* já está em/)
  expect(readFileSync(file, 'utf8')).toBe(content)
  await serve({ ...storage, env: { ...env, SECRET_KEY_FILE: file } })
})

test('a process with another key stops before it writes, naming both', async () => {
  const storage = await place('postgres')
  await serve(storage)
  const file = join(storage.dataDir, 'other.key')
  await admin({}, 'make-secret-key', file)
  const replica = start({ ...storage.env, PORT: String(await freePort()), SECRET_KEY_FILE: file })
  expect(await replica.ended).toBe(1)
  for (const id of [...(await keyIds(fileOf(storage))), ...(await keyIds(file))])
    expect(replica.output()).toContain(id)
  expect(replica.output()).toContain('Nada foi alterado')
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B12c',
    'PostgreSQL started without a key; a replica started with another key',
    'neither starts nor writes; the first message says how to create a key, the second names both key ids',
    '`tests/process/secret-key.full.test.ts`',
  ])
})

test.each(['sqlite', 'postgres'] as const)(
  'on %s the key is rotated beside a running server, and second factors keep working',
  async (engine) => {
    const storage = await place(engine)
    const { url } = await serve(storage)
    const auth = await signIn(storage, url)
    const { verify, secret } = await enrol(auth)
    const [before] = await keyIds(fileOf(storage))
    const { db, close } = openDatabase(storage)
    expect(await filesHolding(storage, db, [secret])).toEqual([])
    const stored = await db.selectFrom('app_secrets').select(['name', 'value']).orderBy('name').execute()
    await close()
    // A JWE without an encrypted key: five parts, the second empty.
    expect(
      stored.map(({ name, value }) => [name, /^eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/.test(value)]),
    ).toEqual([
      ['device_cookie', true],
      ['one_time_codes', true],
      ['refresh_tokens', true],
      ['signing_key', true],
    ])

    const prepared = await admin(storage.env, 'rotate-secret-key', '--prepare')
    const [, next] = await keyIds(fileOf(storage))
    expect(prepared).toContain(`A próxima chave (${next}) está em`)
    const output = await admin(storage.env, 'rotate-secret-key')
    expect(output).toContain(`Chave trocada: ${before} → ${next}.`)
    expect(await keyIds(fileOf(storage))).toEqual([next])
    expect(await verify()).toBeNull()
    expect((await auth.getUser()).error).toBeNull()
  },
)

/** A new start reads everything that was ever written, and writes more. */
function makeCheck(storage: Storage): () => Promise<void> {
  const rows: SecretRow[] = []
  return async () => {
    const { db, close } = openDatabase(storage)
    const secrets = await prepareDatabase(parseConfig(storage.env), db, failOnProblem)
    expect(await openAll(db, secrets, rows)).toEqual(textsOf(rows))
    rows.push(...(await insertSecrets(db, secrets)))
    await close()
  }
}

const rotation = (storage: Storage) => spawnNode(['dist/server/admin.js', 'rotate-secret-key'], storage.env)

test('loses nothing if a rotation is killed after the new key is in the file', async () => {
  const storage = await place('postgres')
  const check = makeCheck(storage)
  await check()
  const [before] = await keyIds(fileOf(storage))
  const { db, close } = openDatabase(storage)
  const blocker = await db.startTransaction().execute()
  await blocker.selectFrom('secret_key').select('key_id').forUpdate().execute()
  const killed = rotation(storage)
  await expect.poll(() => keyIds(fileOf(storage)), { timeout: 30_000, interval: 20 }).toHaveLength(2)
  killed.child.kill('SIGKILL')
  expect(await killed.ended).toBe('SIGKILL')
  await blocker.rollback().execute()
  await close()
  await check()
  const [same, next] = await keyIds(fileOf(storage))
  expect(same).toBe(before)
  const again = rotation(storage)
  expect(await again.ended).toBe(0)
  expect(again.output()).toContain(`${before} → ${next}`)
  await check()
})

test(`loses nothing if a rotation is killed ${RANDOM_KILLS} times at random`, async () => {
  const storage = await place('sqlite')
  const check = makeCheck(storage)
  await check()
  const whole = rotation(storage)
  const startedAt = Date.now()
  expect(await whole.ended).toBe(0)
  const took = Date.now() - startedAt
  for (let round = 0; round < RANDOM_KILLS; round++) {
    await check()
    const killed = rotation(storage)
    // It works on the key in the second half of its run.
    await Promise.race([killed.ended, wait(took * (0.4 + Math.random() * 0.6))])
    killed.child.kill('SIGKILL')
    await killed.ended
  }
  await check()
  const last = rotation(storage)
  expect(await last.ended).toBe(0)
  await check()
  expect(await keyIds(fileOf(storage))).toHaveLength(1)
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B12d',
    `the command that rotates the key, killed before its transaction and ${RANDOM_KILLS} times at random, then run again`,
    'every secret can be decrypted after each kill',
    '`tests/process/secret-key.full.test.ts`',
  ])
})

test('with the key lost the server stops, and the command deletes what cannot be decrypted and lists it', async () => {
  const storage = await place('sqlite')
  const first = await serve(storage)
  await enrol(await signIn(storage, first.url))
  await visit(first.url)
  first.server.child.kill('SIGTERM')
  await first.server.ended
  const file = fileOf(storage)
  const [lost] = await keyIds(file)
  renameSync(file, `${file}.away`)

  const refused = start({ ...storage.env, PORT: String(await freePort()) })
  expect(await refused.ended).toBe(1)
  expect(refused.output()).toContain(`usam a chave ${lost}, mas o arquivo ${file} não existe`)
  expect(refused.output()).toContain('npm run admin -- discard-secrets')
  expect(existsSync(file)).toBe(false)

  const output = await admin(storage.env, 'discard-secrets')
  const [made] = await keyIds(file)
  expect(output).toContain(`Chave ativa: ${made}. Segredos que ainda podem ser lidos: 0.`)
  expect(output).toContain('todas as sessões e chaves de API foram invalidadas')
  expect(output).toContain(
    `Perderam a verificação em duas etapas e precisam ativar de novo: ${PRINCIPAL.email}.`,
  )
  expect(await admin(storage.env, 'discard-secrets')).toContain('Nada precisou ser descartado.')

  const again = await serve(storage)
  const auth = await signIn(storage, again.url)
  expect((await auth.mfa.listFactors()).data?.all).toEqual([])
  const { verify } = await enrol(auth)
  expect(await verify()).toBeNull()
  await visit(again.url)
  again.server.child.kill('SIGTERM')
  await again.server.ended
  const { db, close } = openDatabase(storage)
  // The secret of the day was discarded too: the visitor is counted again.
  const counts = await sumCounts(db, { series: 'visit', resolution: 'day', from: 0 })
  expect(Object.fromEntries(counts.map(({ key, count }) => [key, count]))).toMatchObject({
    views: 2,
    visitors: 2,
    estimated: 1,
  })
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from audit_events where action = 'auth.secrets_discarded'
  `.execute(db)
  await close()
  expect(rows[0]?.n).toBe(1)
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B12e',
    'the key file removed, and `npm run admin -- discard-secrets`',
    'the server stops, names the lost key and creates no new one; the command deletes what cannot be decrypted and lists the people',
    '`tests/process/secret-key.full.test.ts`',
  ])
})
