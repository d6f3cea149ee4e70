import { verify } from '@node-rs/argon2'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type DataApp, OWN_ID, OWN_SESSION, startDataApp } from '#tests/support/data-app.ts'
import { writeDocRow } from '#tests/support/doc-table.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'

const USERS = '/rest/v1/admin_users'
const PASSWORD = 'janela-verde-oceano-41'
const NEW_PASSWORD = 'trilho-pedra-nuvem-77'
/** The person behind the caller `admin`. */
const ME = { id: OWN_ID, email: 'ana@exemplo.com.br', password: PASSWORD, role: 'admin' }

const CHANGES = {
  'a new password': { password: NEW_PASSWORD },
  'a new address': { email: 'nova@exemplo.com.br' },
  'a new role': { role: 'super_admin' },
}

const refused = new Set<string>()

describe.each(TIER_ENGINES)('editing oneself in admin_users on %s', (engine) => {
  let data: DataApp
  beforeAll(async () => {
    data = await startDataApp(engine)
  })
  afterAll(() => data.close())
  beforeEach(async () => {
    await data.database.db.deleteFrom('auth_users').where('id', '=', OWN_ID).execute()
    await data.database.db.deleteFrom('rate_limits').execute()
    const made = await data.call({ method: 'POST', url: USERS, payload: ME, as: 'service' })
    expect(made.statusCode, made.body).toBe(201)
    const at = new Date().toISOString()
    await data.database.db
      .insertInto('auth_sessions')
      .values({
        id: OWN_SESSION,
        user_id: OWN_ID,
        aal: 'aal1',
        amr: '[]',
        user_agent: '',
        created_at: at,
        last_used_at: at,
      })
      .execute()
  })

  const patch = (
    payload: object,
    as: 'admin' | 'superAdmin' | 'service' = 'admin',
    where = `id=eq.${OWN_ID}`,
  ) => data.call({ method: 'PATCH', url: `${USERS}?${where}`, payload, as })
  const stored = () =>
    data.database.db
      .selectFrom('auth_users as u')
      .innerJoin('admin_roles as r', 'r.user_id', 'u.id')
      .select(['u.email', 'u.password_hash', 'r.role'])
      .where('u.id', '=', OWN_ID)
      .executeTakeFirstOrThrow()

  describe.each(Object.entries(CHANGES))('%s', (what, change) => {
    test('accepts the current password', async () => {
      const before = await stored()
      const ways = [
        () => patch(change),
        () => patch(change, 'superAdmin'),
        () => patch({ ...change, current_password: null }),
        () => patch(change, 'admin', 'id=not.is.null'),
        () =>
          data.call({
            method: 'POST',
            url: `${USERS}?on_conflict=id`,
            payload: { ...ME, ...change },
            headers: { prefer: 'resolution=merge-duplicates' },
          }),
      ]
      for (const [index, way] of ways.entries()) {
        const answer = await way()
        expect([400, 403], answer.body).toContain(answer.statusCode)
        expect(await stored()).toEqual(before)
        refused.add(`${what} ${index}`)
      }
      expect((await patch(change)).json()).toMatchObject({ code: 'current_password_required' })
      const wrong = await patch({ ...change, current_password: 'nao-e-esta-senha' })
      expect(wrong.json()).toMatchObject({ code: 'current_password_invalid' })
      expect(await stored()).toEqual(before)
      const answer = await patch({ ...change, current_password: PASSWORD })
      expect(answer.statusCode, answer.body).toBe(204)
      const { password_hash, ...after } = await stored()
      expect({ ...after }).toEqual({
        email: 'email' in change ? change.email : ME.email,
        role: 'role' in change ? change.role : ME.role,
      })
      const now = 'password' in change ? change.password : PASSWORD
      expect(await verify(password_hash ?? '', now)).toBe(true)
    })

    test('allows service keys without it', async () => {
      expect((await patch(change, 'service')).statusCode).toBe(204)
    })
  })

  test('requires nothing for no change, nor for editing others', async () => {
    expect((await patch({ email: ME.email, role: ME.role })).statusCode).toBe(204)
    const other = { email: 'bia@exemplo.com.br', password: PASSWORD, role: 'admin' }
    await data.call({ method: 'POST', url: USERS, payload: other })
    const where = 'email=eq.bia@exemplo.com.br'
    expect((await patch({ password: NEW_PASSWORD }, 'admin', where)).statusCode).toBe(204)
    expect((await data.call({ method: 'DELETE', url: `${USERS}?${where}` })).statusCode).toBe(204)
  })

  test('locks after ten wrong guesses', async () => {
    for (let n = 0; n < 10; n++)
      expect((await patch({ role: 'super_admin', current_password: `errada-${n}` })).statusCode).toBe(400)
    const late = await patch({ role: 'super_admin', current_password: PASSWORD })
    expect(late.statusCode).toBe(429)
    expect((await stored()).role).toBe('admin')
  })

  test('never returns the current password', async () => {
    for (const search of ['select=current_password', 'current_password=eq.x', 'order=current_password'])
      expect((await data.call({ url: `${USERS}?${search}` })).json().code).toBe('42703')
    const answer = await data.call({
      method: 'PATCH',
      url: `${USERS}?id=eq.${OWN_ID}`,
      payload: { role: 'super_admin', current_password: PASSWORD },
      headers: { prefer: 'return=representation' },
    })
    expect(answer.body).not.toMatch(/argon2|current_password|janela/)
    const trail = JSON.stringify(await data.database.db.selectFrom('audit_events').selectAll().execute())
    expect(trail).not.toMatch(/argon2|janela/)
  })
})

test('writes its row of docs/reports/attacks.md', () => {
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B11c',
    'from an open session: change your own password, address or role in `admin_users`, in every way that the protocol has',
    `refused in each of ${refused.size} ways without the current password; ten wrong guesses are allowed; the service key needs none`,
    '`src/server/data/edit-self.test.ts`',
  ])
})
