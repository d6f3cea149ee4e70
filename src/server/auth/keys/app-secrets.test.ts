import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Config, parseConfig } from '#server/config.ts'
import { type Database, openDatabase } from '#server/db/database.ts'
import { prepareDatabase } from '#server/secrets/encrypted-database.ts'
import { discardSecrets } from '#server/secrets/key-rotation.ts'
import { makeSecretKey, replaceSecretKeyFile } from '#server/secrets/secret-key.ts'
import { failOnProblem, makeStorage, type Storage, TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { QUICK_WORK } from '#tests/support/quick-work.ts'
import { insertSecrets, openAll, type SecretRow, textsOf } from '#tests/support/secret-rows.ts'
import { lockAccount } from '../accounts/change-account.ts'
import { createAuthContext } from '../auth.ts'
import { openLogin } from '../sessions/issue.ts'
import { giveUpSecrets } from './give-up-secrets.ts'

describe.each(TIER_ENGINES)('discarding secrets on %s', (engine) => {
  let storage: Storage
  let database: Database
  let config: Config
  let ana: SecretRow[]
  let bia: SecretRow[]
  let kid: string
  const userOf = async ([factor]: SecretRow[]) =>
    (
      await database.db
        .selectFrom('auth_factors')
        .select('user_id')
        .where('id', '=', factor?.row ?? '')
        .executeTakeFirstOrThrow()
    ).user_id
  beforeEach(async () => {
    storage = await makeStorage(engine)
    database = openDatabase(storage)
    config = parseConfig(storage.env)
    const secrets = await prepareDatabase(config, database.db, failOnProblem)
    ana = await insertSecrets(database.db, secrets, 'ana@exemplo.com.br')
    bia = await insertSecrets(database.db, secrets, 'bia@exemplo.com.br')
    const pixelId = await insertPixel(database.db, { type: 'meta', name: 'Meta' })
    const place = { table: 'pixel_secrets', column: 'value', row: pixelId }
    await database.db
      .insertInto('pixel_secrets')
      .values({ pixel_id: pixelId, value: await secrets.encrypt(database.db, place, 'EAAG') })
      .execute()
    await database.db.updateTable('tracking_pixels').set({ has_access_token: true }).execute()
    const { keys } = await createAuthContext(config, database.db, secrets, QUICK_WORK)
    kid = (await keys.current()).signer.key.kid
    for (const rows of [ana, bia]) {
      const userId = await userOf(rows)
      await openLogin(await lockAccount(database.db, { userId }), { aal: 'aal2', userAgent: '' })
      await database.db
        .insertInto('auth_recovery_codes')
        .values({
          id: crypto.randomUUID(),
          user_id: userId,
          code_hash: 'x',
          created_at: new Date().toISOString(),
        })
        .execute()
    }
  })
  afterEach(async () => {
    await database.close()
    await storage.remove()
  })

  const discard = () => discardSecrets(config, database.db, giveUpSecrets)
  const count = async (
    table: 'auth_factors' | 'auth_logins' | 'auth_recovery_codes' | 'app_secrets' | 'pixel_secrets',
  ) =>
    Number(
      (
        await database.db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll().as('n'))
          .executeTakeFirstOrThrow()
      ).n,
    )
  const reopen = async () => {
    const secrets = await prepareDatabase(config, database.db, failOnProblem)
    return { secrets, context: await createAuthContext(config, database.db, secrets, QUICK_WORK) }
  }

  test('deletes nothing while everything can be decrypted', async () => {
    expect((await discard()).lost).toEqual({ people: [], signingKey: false, codes: false, pixels: [] })
    const { secrets, context } = await reopen()
    expect(await openAll(database.db, secrets, [...ana, ...bia])).toEqual(textsOf([...ana, ...bia]))
    expect((await context.keys.current()).signer.key.kid).toBe(kid)
    expect(await count('auth_logins')).toBe(2)
  })

  test('deletes one damaged factor with its owner’s sessions and codes, and nothing else', async () => {
    await database.db
      .updateTable('auth_factors')
      .set({ secret: 'damaged' })
      .where('id', '=', ana[0]?.row ?? '')
      .execute()
    expect((await discard()).lost).toEqual({
      people: ['ana@exemplo.com.br'],
      signingKey: false,
      codes: false,
      pixels: [],
    })
    const { secrets, context } = await reopen()
    expect(await openAll(database.db, secrets, bia)).toEqual(textsOf(bia))
    expect((await context.keys.current()).signer.key.kid).toBe(kid)
    expect([
      await count('auth_factors'),
      await count('auth_logins'),
      await count('auth_recovery_codes'),
    ]).toEqual([1, 1, 1])
  })

  test('deletes everything under another key, and the next start makes new keys', async () => {
    const other = await makeSecretKey()
    await replaceSecretKeyFile(config.secretKey.file, [other])
    const discarded = await discard()
    expect(discarded).toEqual({
      keyId: other.id,
      kept: 0,
      lost: {
        people: ['ana@exemplo.com.br', 'bia@exemplo.com.br'],
        signingKey: true,
        codes: true,
        pixels: ['Meta'],
      },
    })
    expect([
      await count('auth_factors'),
      await count('auth_logins'),
      await count('auth_recovery_codes'),
    ]).toEqual([0, 0, 0])
    expect(await count('app_secrets')).toBe(0)
    expect(await count('pixel_secrets')).toBe(0)
    const [pixel] = await database.db.selectFrom('tracking_pixels').select('has_access_token').execute()
    expect(pixel?.has_access_token).toBe(false)
    const { context } = await reopen()
    expect((await context.keys.current()).signer.key.kid).not.toBe(kid)
    expect(await count('app_secrets')).toBe(4)
  })
})
