import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseConfig } from '#server/config.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { QUICK_WORK } from '#tests/support/quick-work.ts'
import { createAuthContext } from '../auth.ts'
import { forgetFirstPassword } from '../keys/app-secrets.ts'
import { ensurePrincipal } from './principal.ts'
import { resetPassword } from './reset-access.ts'

describe.each(ENGINES)('the principal admin on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  const context = (env: Record<string, string>) =>
    createAuthContext(parseConfig(env), database.db, database.secrets, QUICK_WORK)
  const people = async () =>
    (
      await database.db
        .selectFrom('auth_users as u')
        .leftJoin('admin_roles as r', 'r.user_id', 'u.id')
        .select(['u.email', 'r.role'])
        .orderBy('u.created_at')
        .execute()
    ).map((row) => `${row.email} ${row.role}`)

  test('replicas that start together make one, sign with one key, and all tell one password', async () => {
    const replicas = await Promise.all(
      Array.from({ length: 5 }, () => context({ PRINCIPAL_ADMIN_EMAIL: 'a@exemplo.com.br' })),
    )
    const told = await Promise.all(replicas.map(ensurePrincipal))
    expect(told.filter((news) => news?.how === 'created')).toEqual([
      { how: 'created', password: expect.stringMatching(/^[a-z2-9]{4}(-[a-z2-9]{4}){4}$/) },
    ])
    expect(new Set(told.map((news) => news?.password)).size).toBe(1)
    expect(await people()).toEqual(['a@exemplo.com.br super_admin'])
    const kids = await Promise.all(replicas.map(async ({ keys }) => (await keys.current()).signer.key.kid))
    expect(new Set(kids).size).toBe(1)
    const { password_hash } = await database.db
      .selectFrom('auth_users')
      .select('password_hash')
      .executeTakeFirstOrThrow()
    expect(await replicas[0]?.passwords.verify(password_hash, told[0]?.password ?? '')).toBe(true)
  })

  test('each start tells the password again until the principal has signed in or has another', async () => {
    const start = async () => ensurePrincipal(await context({ PRINCIPAL_ADMIN_EMAIL: 'A@exemplo.com.br' }))
    const first = await start()
    expect(first).toEqual({ how: 'unused', password: expect.stringMatching(/^[a-z2-9-]{24}$/) })
    expect(await start()).toEqual(first)
    const { id } = await database.db.selectFrom('auth_users').select('id').executeTakeFirstOrThrow()
    await forgetFirstPassword(database.db, randomUUID())
    expect(await start()).toEqual(first)
    await forgetFirstPassword(database.db, id)
    expect(await start()).toBeNull()
    expect(await people()).toEqual(['a@exemplo.com.br super_admin'])
  })

  test('a password that was changed meanwhile is not told, and what was kept of it goes', async () => {
    const env = { PRINCIPAL_ADMIN_EMAIL: 'c@exemplo.com.br' }
    expect(await ensurePrincipal(await context(env))).toMatchObject({ how: 'created' })
    await resetPassword(await context(env), env.PRINCIPAL_ADMIN_EMAIL)
    const kept = () =>
      database.db.selectFrom('app_secrets').select('name').where('name', '=', 'first_password').execute()
    expect(await kept()).toEqual([])
    expect(await ensurePrincipal(await context(env))).toBeNull()
    await database.db.deleteFrom('auth_users').where('email', '=', env.PRINCIPAL_ADMIN_EMAIL).execute()
  })

  test('another address becomes the principal, and the former stays an ordinary super admin', async () => {
    const env = {
      PRINCIPAL_ADMIN_EMAIL: 'b@exemplo.com.br',
      PRINCIPAL_ADMIN_PASSWORD: 'girassol-tamborim-91',
    }
    expect(await ensurePrincipal(await context(env))).toBeNull()
    expect(await people()).toEqual(['a@exemplo.com.br super_admin', 'b@exemplo.com.br super_admin'])
  })

  test('one that exists without role, or banned, gets in again', async () => {
    await database.db.deleteFrom('admin_roles').execute()
    await database.db.updateTable('auth_users').set({ banned_until: '2999-01-01T00:00:00.000Z' }).execute()
    await ensurePrincipal(await context({ PRINCIPAL_ADMIN_EMAIL: 'a@exemplo.com.br' }))
    expect(await people()).toContain('a@exemplo.com.br super_admin')
    const { banned_until } = await database.db
      .selectFrom('auth_users')
      .select('banned_until')
      .where('email', '=', 'a@exemplo.com.br')
      .executeTakeFirstOrThrow()
    expect(banned_until).toBeNull()
  })
})
