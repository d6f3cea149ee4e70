import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { TIER_ENGINES } from '../support/engines.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { type Answer, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const PASSWORD = 'janela-verde-oceano-41'
const NEW = 'trilho-pedra-nuvem-77'

/**
 * One rule at both APIs: people who change their own password send the current one, unless they came by a recovery
 * email.
 */
describe.each(TIER_ENGINES)('one’s own new password, on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let email: string
  let id: string
  let count = 0
  beforeAll(async () => {
    site = await startTestApp({ engine })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())
  beforeEach(async () => {
    await site.forgetLimits()
    email = `pessoa${++count}@exemplo.com.br`
    const made = await asService('/rest/v1/admin_users?select=id', {
      email,
      password: PASSWORD,
      role: 'admin',
    })
    id = made.body[0].id
  })

  const asService = (path: string, body: unknown) =>
    call(site, {
      method: 'POST',
      path,
      apikey: keys.service,
      bearer: keys.service,
      body,
      headers: { prefer: 'return=representation' },
    })
  const byPassword = async () => {
    const path = '/auth/v1/token?grant_type=password'
    const body = { email, password: PASSWORD }
    return (await call(site, { method: 'POST', path, apikey: keys.anon, body })).body.access_token
  }
  const byMail = async (type: 'recovery' | 'magiclink', minutesAgo = 0): Promise<string> => {
    const { body: link } = await asService('/auth/v1/admin/generate_link', { type, email })
    const body = { type, token_hash: link.hashed_token }
    const answer = await call(site, { method: 'POST', path: '/auth/v1/verify', apikey: keys.anon, body })
    const timestamp = Math.floor(Date.now() / 1000) - minutesAgo * 60
    const amr = JSON.stringify([{ method: type === 'recovery' ? 'recovery' : 'otp', timestamp }])
    if (minutesAgo > 0)
      await site.database.db.updateTable('auth_sessions').set({ amr }).where('user_id', '=', id).execute()
    return answer.body.access_token
  }
  const forgetPassword = () =>
    site.database.db.updateTable('auth_users').set({ password_hash: null }).where('id', '=', id).execute()

  const ENDPOINTS: Record<string, (bearer: string, body: object) => Promise<Answer>> = {
    'PUT /auth/v1/user': (bearer, body) =>
      call(site, { method: 'PUT', path: '/auth/v1/user', apikey: keys.anon, bearer, body }),
    'PATCH /rest/v1/admin_users': (bearer, body) =>
      call(site, {
        method: 'PATCH',
        path: `/rest/v1/admin_users?id=eq.${id}`,
        apikey: keys.anon,
        bearer,
        body,
      }),
  }

  describe.each(Object.entries(ENDPOINTS))('%s', (_name, change) => {
    test.each([
      ['a session that began with the password', 'current_password_required', byPassword],
      ['a session that began with a mailed link', 'current_password_required', () => byMail('magiclink')],
      ['a session of a recovery mail', null, () => byMail('recovery')],
      ['one of 59 minutes ago', null, () => byMail('recovery', 59)],
      ['one of 61 minutes ago', 'current_password_required', () => byMail('recovery', 61)],
    ])('without the current one, in %s → %s', async (_session, code, enter) => {
      const bearer = await enter()
      const answer = await change(bearer, { password: NEW })
      if (code === null) expect(answer.status, answer.text).toBeLessThan(300)
      else expect(answer).toMatchObject({ status: 400, body: { code } })
    })

    test('accepts the current one and refuses a wrong one', async () => {
      const bearer = await byPassword()
      const wrong = await change(bearer, { password: NEW, current_password: 'nao-e-esta-senha' })
      expect(wrong).toMatchObject({ status: 400, body: { code: 'current_password_invalid' } })
      const right = await change(bearer, { password: NEW, current_password: PASSWORD })
      expect(right.status, right.text).toBeLessThan(300)
    })

    test('without a password, an emailed session of the last hour is required', async () => {
      const old = await byPassword()
      await forgetPassword()
      const refused = await change(old, { password: NEW })
      expect(refused).toMatchObject({ status: 400, body: { code: 'reauthentication_needed' } })
      const answer = await change(await byMail('magiclink'), { password: NEW })
      expect(answer.status, answer.text).toBeLessThan(300)
    })

    test.each([
      ['keeps recovery links to an address that nobody has proved', null, 200],
      ['ends recovery links to a proved address', new Date().toISOString(), 403],
    ])('%s', async (_rule, mailbox_proved_at, status) => {
      const bearer = await byPassword()
      const { db } = site.database
      await db.updateTable('auth_users').set({ mailbox_proved_at }).where('id', '=', id).execute()
      const { body: link } = await asService('/auth/v1/admin/generate_link', { type: 'recovery', email })
      const changed = await change(bearer, { password: NEW, current_password: PASSWORD })
      expect(changed.status, changed.text).toBeLessThan(300)
      const body = { type: 'recovery', token_hash: link.hashed_token }
      const answer = await call(site, { method: 'POST', path: '/auth/v1/verify', apikey: keys.anon, body })
      expect(answer.status, answer.text).toBe(status)
    })
  })

  test('a recovery email does not allow a change of address or role in admin_users', async () => {
    const bearer = await byMail('recovery')
    const answer = await ENDPOINTS['PATCH /rest/v1/admin_users']?.(bearer, {
      role: 'super_admin',
      password: NEW,
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 'current_password_required' } })
  })
})
