import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { DAY_MS } from '#contract/durations.ts'
import { type Config, parseConfig } from '#server/config.ts'
import { makeDatabase, type TestDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { insertSecrets } from '#tests/support/secret-rows.ts'
import { lockAccount } from '../accounts/change-account.ts'
import { readApiKey } from '../caller.ts'
import { openLogin } from '../sessions/issue.ts'
import { insertApiKey, listApiKeys, revokeApiKey } from './api-keys.ts'
import { KeyRing, rotateKeys } from './key-ring.ts'

const config: Config = parseConfig({})

describe.each(TIER_ENGINES)('keys on %s', (engine) => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await makeDatabase(engine)
  })
  afterEach(async () => {
    vi.useRealTimers()
    await database.close()
  })
  const open = () => KeyRing.open(database.db, database.secrets, config)

  async function signIn(): Promise<void> {
    await insertSecrets(database.db, database.secrets, 'ana@exemplo.com.br')
    const { id } = await database.db.selectFrom('auth_users').select('id').executeTakeFirstOrThrow()
    await openLogin(await lockAccount(database.db, { userId: id }), { aal: 'aal1', userAgent: '' })
  }
  const logins = async () => (await database.db.selectFrom('auth_logins').select('id').execute()).length

  test('accepts what the former key signed during the overlap only', async () => {
    await signIn()
    const before = await (await open()).current()
    const token = await before.signer.sign({ role: 'anon' })
    await rotateKeys(database.db, database.secrets, 7 * DAY_MS)
    const { signer, anonKey } = await (await open()).current()
    expect(signer.key.kid).not.toBe(before.signer.key.kid)
    expect(signer.publicJwks().map(({ kid }) => kid)).toEqual([signer.key.kid, before.signer.key.kid])
    expect(JSON.stringify(signer.publicJwks())).not.toContain('"d"')
    expect(await signer.verify(token)).toMatchObject({ role: 'anon' })
    expect(await signer.verify(anonKey)).toMatchObject({ role: 'anon' })
    expect(await before.signer.verify(anonKey)).toBeNull()
    expect(await logins()).toBe(1)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7 * DAY_MS + 1 })
    expect(await signer.verify(token)).toBeNull()
    expect(await signer.verify(anonKey)).not.toBeNull()
    expect(signer.publicJwks()).toHaveLength(1)
  })

  test('keeps the end of the first key in a second rotation', async () => {
    const sign = async () => (await (await open()).current()).signer.sign({ role: 'anon' })
    const tokens = [await sign()]
    await rotateKeys(database.db, database.secrets, 7 * DAY_MS)
    tokens.push(await sign())
    await rotateKeys(database.db, database.secrets, 2 * DAY_MS)
    tokens.push(await sign())
    const accepted = async () => {
      const { signer } = await (await open()).current()
      return Promise.all(tokens.map(async (token) => (await signer.verify(token)) !== null))
    }
    expect(await accepted()).toEqual([true, true, true])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * DAY_MS })
    expect(await accepted()).toEqual([true, false, true])
    vi.setSystemTime(Date.now() + 5 * DAY_MS)
    expect(await accepted()).toEqual([false, false, true])
  })

  test('loses no key in concurrent rotations', async () => {
    for (let time = 0; time < 5; time++) {
      const before = (await (await open()).current()).signer.publicJwks().map(({ kid }) => kid)
      await Promise.all([1, 2, 3].map(() => rotateKeys(database.db, database.secrets, DAY_MS)))
      const after = (await (await open()).current()).signer.publicJwks().map(({ kid }) => kid)
      expect(new Set(after).size).toBe(before.length + 3)
      expect(after).toEqual(expect.arrayContaining(before))
    }
  })

  test('ends everything at once without an overlap, including keys before', async () => {
    await signIn()
    const tokens = [await (await (await open()).current()).signer.sign({ role: 'anon' })]
    await rotateKeys(database.db, database.secrets, DAY_MS)
    tokens.push(await (await (await open()).current()).signer.sign({ role: 'anon' }))
    await rotateKeys(database.db, database.secrets, 0)
    const { signer } = await (await open()).current()
    expect(await Promise.all(tokens.map((token) => signer.verify(token)))).toEqual([null, null])
    expect(signer.publicJwks()).toHaveLength(1)
    expect(await logins()).toBe(0)
  })

  test('gives service keys a name and an expiry, and revokes them one by one', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000)
    const shop = await insertApiKey(database.db, 'loja', inAnHour)
    const other = await insertApiKey(database.db, 'relatórios', null)
    expect(await insertApiKey(database.db, 'loja', null)).toBeNull()
    const ring = await open()
    const keyOf = (row: typeof shop, expiresAt: Date | null) =>
      ring.makeServiceKey({ id: row?.id ?? '', expiresAt })
    const [shopKey, otherKey] = [await keyOf(shop, inAnHour), await keyOf(other, null)]
    const roles = async () => {
      const keys = await (await open()).current()
      return [await readApiKey(keys, shopKey), await readApiKey(keys, otherKey)]
    }
    expect(await roles()).toEqual(['service_role', 'service_role'])
    vi.useFakeTimers({ toFake: ['Date'], now: inAnHour.getTime() + 1_000 })
    expect(await roles()).toEqual([null, 'service_role'])
    vi.useRealTimers()
    expect(await revokeApiKey(database.db, 'relatórios')).toBe(true)
    expect(await revokeApiKey(database.db, 'relatórios')).toBe(false)
    expect(await revokeApiKey(database.db, 'outra')).toBe(false)
    expect(await roles()).toEqual(['service_role', null])
    expect(
      (await listApiKeys(database.db)).map(({ name, revoked_at }) => [name, revoked_at !== null]),
    ).toEqual([
      ['loja', false],
      ['relatórios', true],
    ])
    const audited = await database.db.selectFrom('audit_events').select('action').orderBy('action').execute()
    expect(audited.map(({ action }) => action)).toEqual([
      'auth.api_key_made',
      'auth.api_key_made',
      'auth.api_key_revoked',
    ])
  })
})

test('signs with the first key of a file and verifies with both', async () => {
  const database = await makeDatabase('sqlite')
  const pairs = await Promise.all([1, 2].map(() => generateKeyPair('ES256', { extractable: true })))
  const [first, second] = await Promise.all(
    pairs.map(async ({ privateKey }, index) => ({ ...(await exportJWK(privateKey)), kid: `key-${index}` })),
  )
  const { dataDir } = parseConfig({})
  const folder = mkdtempSync(join(tmpdir(), 'portico-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'keys.json')
  writeFileSync(file, JSON.stringify({ keys: [first, second] }), { mode: 0o600 })
  const ring = await KeyRing.open(
    database.db,
    database.secrets,
    parseConfig({ DATA_DIR: dataDir, AUTH_SIGNING_KEY_FILE: file }),
  )
  const { signer } = await ring.current()
  const former = await new SignJWT({ role: 'anon' })
    .setProtectedHeader({ alg: 'ES256' })
    .sign(pairs[1]?.privateKey as CryptoKey)
  expect(signer.key.kid).toBe('key-0')
  expect(signer.publicJwks().map(({ kid }) => kid)).toEqual(['key-0', 'key-1'])
  expect(await signer.verify(former)).toMatchObject({ role: 'anon' })
  await database.close()
})
