import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseConfig } from '#server/config.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { createAuthContext } from '../create-auth.ts'
import { ensurePrincipal } from './ensure-principal.ts'

describe.each(ENGINES)('the principal admin on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  const context = (env: Record<string, string>) =>
    createAuthContext(parseConfig(env), database.db, database.secrets)
  const people = async () =>
    (
      await database.db
        .selectFrom('auth_users as u')
        .leftJoin('admin_roles as r', 'r.user_id', 'u.id')
        .select(['u.email', 'r.role'])
        .orderBy('u.created_at')
        .execute()
    ).map((row) => `${row.email} ${row.role}`)

  test('replicas that start together make one, sign with one key, and one of them tells the password', async () => {
    const replicas = await Promise.all(
      Array.from({ length: 5 }, () => context({ PRINCIPAL_ADMIN_EMAIL: 'a@exemplo.com.br' })),
    )
    const told = (await Promise.all(replicas.map(ensurePrincipal))).filter((news) => news !== null)
    expect(told).toEqual([
      { how: 'created', password: expect.stringMatching(/^[a-z2-9]{4}(-[a-z2-9]{4}){4}$/) },
    ])
    expect(await people()).toEqual(['a@exemplo.com.br super_admin'])
    const kids = await Promise.all(replicas.map(async ({ keys }) => (await keys.current()).signer.key.kid))
    expect(new Set(kids).size).toBe(1)
    const { password_hash } = await database.db
      .selectFrom('auth_users')
      .select('password_hash')
      .executeTakeFirstOrThrow()
    expect(await replicas[0]?.passwords.verify(password_hash, told[0]?.password ?? '')).toBe(true)
  })

  test('the next start tells nothing and changes nothing', async () => {
    expect(await ensurePrincipal(await context({ PRINCIPAL_ADMIN_EMAIL: 'A@exemplo.com.br' }))).toBeNull()
    expect(await people()).toEqual(['a@exemplo.com.br super_admin'])
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
