import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseConfig } from '#server/config.ts'
import type { Database } from '#server/db/database.ts'
import type { Caller } from '#server/http/security/administrators.ts'
import { makeDatabase, type TestDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { QUICK_WORK } from '#tests/support/quick-work.ts'
import { createAuth } from '../auth.ts'
import type { AuthContext } from '../context.ts'
import { openLogin, openSession, passwordAmr } from '../sessions/issue.ts'
import type { Accounts } from './admin-users.ts'
import { lockAccount } from './change-account.ts'
import { ensurePrincipal } from './principal.ts'
import { isPrincipal } from './rules.ts'

const SERVICE: Caller = { kind: 'service' }
const PRINCIPAL = 'principal@portico.example'

describe.each(TIER_ENGINES)('the accounts behind admin_users on %s', (engine) => {
  let database: TestDatabase
  let context: AuthContext
  let accounts: Accounts
  let id: string
  let email: string
  let people = 0
  beforeAll(async () => {
    database = await makeDatabase(engine)
    const config = parseConfig({ PRINCIPAL_ADMIN_EMAIL: PRINCIPAL })
    ;({ context, accounts } = await createAuth(config, database.db, database.secrets, QUICK_WORK))
    await ensurePrincipal(context)
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    email = `pessoa${people++}@exemplo.com.br`
    id = await create(email)
  })

  const inTransaction = <T>(work: (trx: Database['db']) => Promise<T>) =>
    database.db.transaction().execute((trx) => work(trx))
  const create = (address: string) =>
    inTransaction((trx) =>
      accounts.create(trx, { email: address, passwordHash: 'x', role: 'admin' }, SERVICE),
    )
  const open = async () => {
    const account = await lockAccount(database.db, { userId: id })
    const login = await openLogin(account, { aal: 'aal1', userAgent: '' })
    const session = {
      loginId: login.loginId,
      aal: 'aal1',
      amr: passwordAmr(),
      userAgent: '',
    } as const
    return (await openSession(context, account, session)).sessionId
  }
  const self = (sessionId: string): Caller => ({
    kind: 'user',
    userId: id,
    email,
    sessionId,
    role: 'admin',
    aal: 'aal1',
    needsSecondFactor: false,
  })
  const live = async () =>
    (await database.db.selectFrom('auth_sessions').select('id').where('user_id', '=', id).execute()).map(
      (row) => row.id,
    )

  test('are created with their role, or not at all', async () => {
    const row = await database.db
      .selectFrom('auth_users as u')
      .innerJoin('admin_roles as r', 'r.user_id', 'u.id')
      .select(['u.email', 'r.role', 'u.email_confirmed_at'])
      .where('u.id', '=', id)
      .executeTakeFirst()
    expect({ ...row }).toEqual({ email, role: 'admin', email_confirmed_at: expect.any(String) })
    await expect(create(email.toUpperCase())).rejects.toMatchObject({ code: 'email_exists', status: 422 })
  })

  test.each([{ email: 'mudou@exemplo.com.br' }, { role: 'super_admin' }, { passwordHash: 'y' }])(
    'lose every session when edited by another (%o)',
    async (change) => {
      await open()
      await open()
      const unique = 'email' in change ? { email: `${people}${change.email}` } : change
      await inTransaction((trx) => accounts.update(trx, id, unique, SERVICE))
      expect(await live()).toEqual([])
    },
  )

  test('keep the current session and its login when edited by themselves', async () => {
    const own = await open()
    await open()
    await inTransaction((trx) => accounts.update(trx, id, { passwordHash: 'y', provedHash: 'x' }, self(own)))
    expect(await live()).toEqual([own])
    const logins = await database.db
      .selectFrom('auth_logins')
      .select('id')
      .where('user_id', '=', id)
      .execute()
    expect(logins).toHaveLength(1)
  })

  test.each([
    ['no password', {}],
    ['a password that was changed meanwhile', { provedHash: 'old' }],
    ['an account without a password', { provedHash: null }],
  ])('stay unchanged when edited by themselves with %s', async (_what, proof) => {
    const own = await open()
    for (const change of [{ email: `x${email}` }, { passwordHash: 'y' }, { role: 'super_admin' }])
      await expect(
        inTransaction((trx) => accounts.update(trx, id, { ...change, ...proof }, self(own))),
      ).rejects.toMatchObject({ status: 400, code: 'current_password_required' })
  })

  test('refuse an address that another account has, and the transaction continues', async () => {
    const change = { email: PRINCIPAL.toUpperCase() }
    await inTransaction(async (trx) => {
      await expect(accounts.update(trx, id, change, SERVICE)).rejects.toMatchObject({ code: 'email_exists' })
      await accounts.update(trx, id, { role: 'super_admin' }, SERVICE)
    })
  })

  test('are removed with all their data, and the audit trail stays', async () => {
    await open()
    await inTransaction((trx) => accounts.remove(trx, id, SERVICE))
    expect(await live()).toEqual([])
    const trail = await database.db
      .selectFrom('audit_events')
      .select(['action', 'actor', 'before'])
      .where('subject', '=', id)
      .orderBy('created_at')
      .execute()
    expect(trail.map((row) => row.action)).toEqual(['user.created', 'user.deleted'])
    expect(trail[1]?.before).toEqual({ email, role: 'admin' })
  })

  test('the principal keeps address and role and cannot be removed, but can change the password', async () => {
    const principal = await database.db
      .selectFrom('auth_users')
      .select('id')
      .where('email', '=', PRINCIPAL)
      .executeTakeFirstOrThrow()
    const attempt = (change: { email?: string; role?: string; passwordHash?: string }) =>
      inTransaction((trx) => accounts.update(trx, principal.id, change, SERVICE))
    const refusal = { code: 'principal_admin_protected' }
    await expect(attempt({ email: 'outro@exemplo.com.br' })).rejects.toMatchObject(refusal)
    await expect(attempt({ role: 'admin' })).rejects.toMatchObject(refusal)
    await expect(inTransaction((trx) => accounts.remove(trx, principal.id, SERVICE))).rejects.toMatchObject({
      ...refusal,
      message: 'Não é possível excluir o usuário administrador principal.',
    })
    await attempt({ email: PRINCIPAL, role: 'super_admin', passwordHash: 'y' })
    expect(isPrincipal(context.config, ` ${PRINCIPAL.toUpperCase()}`)).toBe(true)
    expect(isPrincipal(context.config, email)).toBe(false)
  })

  test("refuses one's own address as password, also when only the password is edited", async () => {
    const weak = { code: 'weak_password', details: { reasons: ['pwned'] } }
    await expect(accounts.hashPassword(`${email.split('@')[0]}1`, email)).rejects.toMatchObject(weak)
    await expect(accounts.hashPassword(`${email.split('@')[0]}1`, '')).rejects.toMatchObject(weak)
  })

  test('refuses a weak password with its reasons before hashing', async () => {
    await expect(accounts.hashPassword('senha123', email)).rejects.toMatchObject({
      code: 'weak_password',
      details: { reasons: ['pwned'] },
    })
    expect(await accounts.hashPassword('girassol-tamborim-91', email)).toMatch(/^\$argon2id\$/)
  })
})
