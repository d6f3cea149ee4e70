import { verify } from '@node-rs/argon2'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type DataApp, PRINCIPAL_EMAIL, startDataApp } from '#tests/support/data-app.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'

const USERS = '/rest/v1/admin_users'
const BIA = { email: 'Bia@Exemplo.com.br ', password: 'janela-verde-oceano-41', role: 'admin' }
const SHOW = { prefer: 'return=representation' }

describe.each(TIER_ENGINES)('admin_users on %s', (engine) => {
  let data: DataApp
  beforeAll(async () => {
    data = await startDataApp(engine)
  })
  afterAll(() => data.close())
  beforeEach(async () => {
    await data.database.db.deleteFrom('auth_users').where('email', '!=', PRINCIPAL_EMAIL).execute()
    await data.database.db.deleteFrom('audit_events').execute()
  })

  const create = async () => {
    const answer = await data.call({ method: 'POST', url: USERS, payload: BIA, headers: SHOW })
    expect(answer.statusCode, answer.body).toBe(201)
    return answer.json()[0]
  }
  const list = async () => (await data.call({ url: `${USERS}?order=email` })).json()
  const login = (id: string) =>
    data.database.db.selectFrom('auth_users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

  test('an insert creates account and role, and returns neither password nor hash', async () => {
    const made = await create()
    expect(made).toEqual({
      id: made.id,
      email: 'bia@exemplo.com.br',
      role: 'admin',
      is_principal: false,
      created_at: made.created_at,
      updated_at: made.created_at,
    })
    const stored = await login(made.id)
    expect(await verify(stored.password_hash ?? '', BIA.password)).toBe(true)
    expect(await list()).toEqual([
      made,
      expect.objectContaining({ email: PRINCIPAL_EMAIL, is_principal: true }),
    ])
  })

  test('an update of email, role and password changes the account itself', async () => {
    const { id, updated_at } = await create()
    const payload = { email: 'nova@exemplo.com.br', role: 'super_admin', password: 'trilho-pedra-nuvem-77' }
    const answer = await data.call({ method: 'PATCH', url: `${USERS}?id=eq.${id}`, payload, headers: SHOW })
    expect(answer.json()).toMatchObject([{ id, email: 'nova@exemplo.com.br', role: 'super_admin' }])
    expect(answer.json()[0].updated_at > updated_at).toBe(true)
    const stored = await login(id)
    expect(stored.email).toBe('nova@exemplo.com.br')
    expect(await verify(stored.password_hash ?? '', payload.password)).toBe(true)
  })

  test('accepts a whole row that was read before', async () => {
    const made = await create()
    const payload = { ...made, role: 'super_admin' }
    const answer = await data.call({
      method: 'PATCH',
      url: `${USERS}?id=eq.${made.id}`,
      payload,
      headers: SHOW,
    })
    expect(answer.statusCode, answer.body).toBe(200)
    expect(answer.json()[0]).toMatchObject({ id: made.id, role: 'super_admin', is_principal: false })
    const again = await data.call({
      method: 'POST',
      url: USERS,
      payload: [{ ...answer.json()[0], is_principal: true }],
      headers: { prefer: 'resolution=merge-duplicates,return=representation' },
    })
    expect(again.statusCode, again.body).toBe(200)
    expect(again.json()[0].is_principal).toBe(false)
  })

  test('the audit trail says that a password was set, not which', async () => {
    const { id } = await create()
    const payload = { password: 'trilho-pedra-nuvem-77' }
    await data.call({ method: 'PATCH', url: `${USERS}?id=eq.${id}`, payload })
    const trail = await data.database.db.selectFrom('audit_events').selectAll().execute()
    const text = JSON.stringify(trail)
    expect(text).toContain('password_changed')
    for (const secret of ['janela-verde', 'trilho-pedra', 'argon2']) expect(text).not.toContain(secret)
  })

  test('a deleted person is gone with the account', async () => {
    const { id } = await create()
    expect((await data.call({ method: 'DELETE', url: `${USERS}?id=eq.${id}` })).statusCode).toBe(204)
    await expect(login(id)).rejects.toThrow()
  })

  test.each([
    ['a taken e-mail', { ...BIA, email: PRINCIPAL_EMAIL }, 409, '23505', 'admin_users_email_key'],
    ['a weak password', { ...BIA, password: 'curta' }, 422, 'weak_password', 'at least 8'],
    ['no password', { email: 'x@exemplo.com.br', role: 'admin' }, 400, '23502', 'password'],
    ['a bad e-mail', { ...BIA, email: 'nope' }, 400, '23514', 'admin_users_email_check'],
    ['an unknown role', { ...BIA, role: 'root' }, 400, '23514', 'admin_users_role_check'],
    ['a hash', { ...BIA, password_hash: 'x' }, 400, 'PGRST204', "'password_hash' column of 'admin_users'"],
  ])('refuses %s', async (_what, payload, status, code, message) => {
    const answer = await data.call({ method: 'POST', url: USERS, payload })
    expect(answer.statusCode, answer.body).toBe(status)
    expect(answer.json()).toMatchObject({ code, message: expect.stringContaining(message) })
    expect(await list()).toHaveLength(1)
  })

  test('returns the reasons of a weak password in the details', async () => {
    const answer = await data.call({ method: 'POST', url: USERS, payload: { ...BIA, password: 'x' } })
    expect(answer.json().details).toBe('length')
  })

  test.each([
    'select=password_hash',
    'select=password',
    'password_hash=like.*',
    'password=eq.x',
    'or=(id.is.null,password_hash.not.is.null)',
    'order=password_hash',
    'select=x:password_hash::text',
  ])('reveals no secret: %s', async (search) => {
    const answer = await data.call({ url: `${USERS}?${search}` })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().code).toBe('42703')
  })

  const principal = (rows: { email: string; is_principal: boolean }[]) => rows.find((row) => row.is_principal)

  test.each([
    ['delete', 'DELETE', `?email=eq.${PRINCIPAL_EMAIL}`, undefined, {}, 'Não é possível excluir'],
    [
      'delete among others',
      'DELETE',
      '?role=in.(admin,super_admin)',
      undefined,
      {},
      'Não é possível excluir',
    ],
    ['delete as the principal', 'DELETE', '?is_principal=is.true', undefined, {}, 'Não é possível excluir'],
    ['new role', 'PATCH', '?is_principal=is.true', { role: 'admin' }, {}, 'Email e função'],
    ['new e-mail', 'PATCH', '?is_principal=is.true', { email: 'x@exemplo.com.br' }, {}, 'Email e função'],
    ['new role among others', 'PATCH', '?id=not.is.null', { role: 'admin' }, {}, 'Email e função'],
    [
      'upsert',
      'POST',
      '?on_conflict=email',
      { email: PRINCIPAL_EMAIL.toUpperCase(), role: 'admin' },
      { prefer: 'resolution=merge-duplicates' },
      'Email e função',
    ],
  ] as const)('protects the principal from %s', async (_what, method, search, payload, headers, message) => {
    await create()
    const before = await list()
    for (const as of ['admin', 'superAdmin', 'service'] as const) {
      const answer = await data.call({
        method,
        url: `${USERS}${search}`,
        as,
        headers,
        ...(payload === undefined ? {} : { payload }),
      })
      expect(answer.statusCode, answer.body).toBe(403)
      expect(answer.json()).toMatchObject({
        code: 'principal_admin_protected',
        message: expect.stringContaining(message),
      })
    }
    expect(await list()).toEqual(before)
    expect(principal(before)?.email).toBe(PRINCIPAL_EMAIL)
  })

  test('accepts a new password for the principal, with email and role unchanged', async () => {
    const payload = { email: PRINCIPAL_EMAIL, role: 'super_admin', password: 'farol-seda-limoeiro-93' }
    const answer = await data.call({ method: 'PATCH', url: `${USERS}?is_principal=is.true`, payload })
    expect(answer.statusCode, answer.body).toBe(204)
  })
})
