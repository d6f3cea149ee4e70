import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseConfig } from '#server/config.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { QUICK_WORK } from '#tests/support/quick-work.ts'
import { createAuthContext } from '../auth.ts'
import { forgetFirstPassword } from '../keys/app-secrets.ts'
import { changeAccount } from './change-account.ts'
import { ensurePrincipal } from './principal.ts'
import { resetPassword } from './reset-access.ts'
import { findUserByEmail, hasGeneratedPassword } from './users.ts'

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

  test('is created once by processes that start together, which sign with one key and announce one password', async () => {
    const replicas = await Promise.all(
      Array.from({ length: 5 }, () => context({ PRINCIPAL_ADMIN_EMAIL: 'a@exemplo.com.br' })),
    )
    const news = await Promise.all(replicas.map(ensurePrincipal))
    expect(news.filter((news) => news?.how === 'created')).toEqual([
      { how: 'created', password: expect.stringMatching(/^[a-z2-9]{4}(-[a-z2-9]{4}){4}$/) },
    ])
    expect(new Set(news.map((news) => news?.password)).size).toBe(1)
    expect(await people()).toEqual(['a@exemplo.com.br super_admin'])
    const kids = await Promise.all(replicas.map(async ({ keys }) => (await keys.current()).signer.key.kid))
    expect(new Set(kids).size).toBe(1)
    const { password_hash } = await database.db
      .selectFrom('auth_users')
      .select('password_hash')
      .executeTakeFirstOrThrow()
    expect(await replicas[0]?.passwords.verify(password_hash, news[0]?.password ?? '')).toBe(true)
  })

  test('announces the password at each start until the principal has signed in or has another', async () => {
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

  test('does not announce a password that was changed meanwhile, and deletes its copy', async () => {
    const env = { PRINCIPAL_ADMIN_EMAIL: 'c@exemplo.com.br' }
    expect(await ensurePrincipal(await context(env))).toMatchObject({ how: 'created' })
    await resetPassword(await context(env), env.PRINCIPAL_ADMIN_EMAIL)
    const kept = () =>
      database.db.selectFrom('app_secrets').select('name').where('name', '=', 'first_password').execute()
    expect(await kept()).toEqual([])
    expect(await ensurePrincipal(await context(env))).toBeNull()
    await database.db.deleteFrom('auth_users').where('email', '=', env.PRINCIPAL_ADMIN_EMAIL).execute()
  })

  test('marks a password that the program made, until somebody chooses one', async () => {
    const env = { PRINCIPAL_ADMIN_EMAIL: 'd@exemplo.com.br' }
    const isGenerated = async () => {
      const user = await findUserByEmail(database.db, env.PRINCIPAL_ADMIN_EMAIL)
      return user !== undefined && hasGeneratedPassword(user.app_metadata)
    }
    await ensurePrincipal(await context(env))
    expect(await isGenerated()).toBe(true)
    const { id: userId } = (await findUserByEmail(database.db, env.PRINCIPAL_ADMIN_EMAIL)) ?? { id: '' }
    const who = { userId, by: { actor_id: null, actor: 'x' } }
    await changeAccount(database.db, who, {
      write: (account) => account.update({ updated_at: new Date().toISOString() }),
    })
    expect(await isGenerated()).toBe(true)
    await changeAccount(database.db, who, { write: (account) => account.update({ password_hash: 'chosen' }) })
    expect(await isGenerated()).toBe(false)
    await resetPassword(await context(env), env.PRINCIPAL_ADMIN_EMAIL)
    expect(await isGenerated()).toBe(true)
    await database.db.deleteFrom('auth_users').where('email', '=', env.PRINCIPAL_ADMIN_EMAIL).execute()
  })

  test('another address becomes the principal, and the former one stays a super admin', async () => {
    const env = {
      PRINCIPAL_ADMIN_EMAIL: 'b@exemplo.com.br',
      PRINCIPAL_ADMIN_PASSWORD: 'girassol-tamborim-91',
    }
    expect(await ensurePrincipal(await context(env))).toBeNull()
    expect(await people()).toEqual(['a@exemplo.com.br super_admin', 'b@exemplo.com.br super_admin'])
  })

  test('gives access back to an account without a role, or a banned one', async () => {
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
