import { hash } from '@node-rs/bcrypt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '#tests/acceptance/auth-http.ts'
import { readKeys } from '#tests/acceptance/auth-keys.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { importSupabaseUser } from './import-supabase.ts'

const PASSWORD = 'janela-verde-oceano-41'

describe.each(TIER_ENGINES)('accounts from Supabase, on %s', (engine) => {
  let site: TestApp
  let anon: string
  let service: string
  let bcrypt: string
  beforeAll(async () => {
    site = await startTestApp({ engine })
    ;({ anon, service } = await readKeys(site))
    bcrypt = await hash(PASSWORD, 10)
  })
  afterAll(() => site.close())

  const row = (email: string, change: object = {}) => ({
    id: crypto.randomUUID(),
    email,
    encrypted_password: bcrypt,
    email_confirmed_at: '2026-01-02T03:04:05.678901+00:00',
    confirmation_sent_at: '2026-01-02T03:00:00+00:00',
    raw_user_meta_data: { name: 'Ana' },
    raw_app_meta_data: { provider: 'email', providers: ['email'] },
    created_at: '2026-01-02T03:00:00+00:00',
    ...change,
  })
  const run = (given: unknown) => importSupabaseUser(site.database.db, given)
  const stored = (email: string) =>
    site.database.db.selectFrom('auth_users').selectAll().where('email', '=', email).executeTakeFirstOrThrow()
  const signIn = (email: string, password: string) =>
    call(site, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: anon,
      body: { email, password },
    })

  test('sign in with their password, which is then rehashed once', async () => {
    const person = row('Ana@exemplo.com.br')
    expect(await run(person)).toBe('imported')
    expect((await signIn('ana@exemplo.com.br', 'outra-senha-qualquer-9')).status).toBe(400)
    expect((await stored('ana@exemplo.com.br')).password_hash).toBe(bcrypt)
    const { status, body } = await signIn('ana@exemplo.com.br', PASSWORD)
    expect(status).toBe(200)
    expect(body.user).toMatchObject({ id: person.id, user_metadata: { name: 'Ana' } })
    const renewed = (await stored('ana@exemplo.com.br')).password_hash
    expect(renewed).toMatch(/^\$argon2id\$/)
    expect((await signIn('ana@exemplo.com.br', PASSWORD)).status).toBe(200)
    expect((await stored('ana@exemplo.com.br')).password_hash).toBe(renewed)
  })

  test('are skipped if the address exists here, in any spelling', async () => {
    const before = await stored(PRINCIPAL.email)
    expect(await run(row(` ${PRINCIPAL.email.toUpperCase()}`))).toBe('taken')
    expect(await run(row('outra@exemplo.com.br', { id: before.id }))).toBe('taken')
    expect(await stored(PRINCIPAL.email)).toEqual(before)
  })

  test('have a proved mailbox only if Supabase had emailed it', async () => {
    await run(row('provada@exemplo.com.br'))
    await run(row('automatica@exemplo.com.br', { confirmation_sent_at: null }))
    await run(row('pendente@exemplo.com.br', { email_confirmed_at: null }))
    expect((await stored('provada@exemplo.com.br')).mailbox_proved_at).not.toBeNull()
    expect((await stored('automatica@exemplo.com.br')).mailbox_proved_at).toBeNull()
    expect(await stored('pendente@exemplo.com.br')).toMatchObject({
      mailbox_proved_at: null,
      email_confirmed_at: null,
    })
  })

  test('lose a hash that costs too much and need a new password', async () => {
    await run(row('cara@exemplo.com.br', { encrypted_password: bcrypt.replace('$10$', '$13$') }))
    expect((await stored('cara@exemplo.com.br')).password_hash).toBeNull()
  })

  test.each([null, 1, [], {}, { id: 'x', email: 'a@b.co' }, { email: 'a@b.co' }])(
    'are refused for %j',
    async (given) => {
      expect(await run(given)).toBe('unusable')
    },
  )
  test('are refused if deleted, without an address, or from single sign-on', async () => {
    for (const change of [
      { deleted_at: '2026-01-01' },
      { is_sso_user: true },
      { email: null },
      { email: 'x' },
    ])
      expect(await run(row('x@exemplo.com.br', change))).toBe('unusable')
  })

  test.each([
    ['$2a$10$', 200],
    ['$2b$12$', 200],
    ['$2y$04$', 200],
    ['$2b$13$', 400],
    ['$2b$31$', 400],
    ['$2x$10$', 400],
  ])('the admin API accepts a hash of %s', async (prefix, status) => {
    const body = {
      email: `h${prefix.replaceAll('$', '')}@exemplo.com.br`,
      password_hash: prefix + bcrypt.slice(7),
    }
    const made = await call(site, {
      method: 'POST',
      path: '/auth/v1/admin/users',
      apikey: service,
      bearer: service,
      body,
    })
    expect(made.status, made.text).toBe(status)
  })
})
