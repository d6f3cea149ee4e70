import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseConfig } from '#server/config.ts'
import { createLogger } from '#server/http/logging/logger.ts'
import { createMailTransport } from '#server/mail/transport.ts'
import { writeDocRow } from '#tests/support/doc-table.ts'
import { makeDatabase, type TestDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { Mailbox } from '#tests/support/mailbox.ts'
import { QUICK_WORK } from '#tests/support/quick-work.ts'
import { sendQueuedMail } from '#tests/support/send-queued-mail.ts'
import { createAuthContext } from '../auth.ts'
import { openLogin, openSession, passwordAmr } from '../sessions/issue.ts'
import { lockAccount } from './change-account.ts'
import { ensurePrincipal } from './principal.ts'
import { findUserByEmail, insertUser } from './users.ts'

const BOSS = 'diretoria@exemplo.com.br'
const STRANGERS_PASSWORD = 'janela-verde-oceano-41'
const OPERATORS_PASSWORD = 'girassol-tamborim-91'

const shut = new Set<string>()

/** How an account may have the address before the configuration names it. */
const HOLDERS = {
  'a stranger who signed up': { confirmed: true, isStranger: true, role: null, banned: false },
  'a stranger who never confirmed': { confirmed: false, isStranger: true, role: null, banned: false },
  'somebody banned': { confirmed: true, role: null, banned: true },
  'an admin who renamed themselves': { confirmed: true, role: 'admin', banned: false },
  'a super admin': { confirmed: true, role: 'super_admin', banned: false },
} as const

describe.each(TIER_ENGINES)('an account that already has the principal’s address, on %s', (engine) => {
  let database: TestDatabase
  let mailbox: Mailbox
  beforeAll(async () => {
    database = await makeDatabase(engine)
    mailbox = await Mailbox.open()
  })
  afterAll(async () => {
    await mailbox.close()
    await database.close()
  })
  beforeEach(async () => {
    await database.db.updateTable('site_state').set({ principal_id: null }).execute()
    await database.db.deleteFrom('auth_users').execute()
    await database.db.deleteFrom('audit_events').execute()
    await ensurePrincipal(await context({ PRINCIPAL_ADMIN_EMAIL: 'antes@exemplo.com.br' }))
  })

  const context = (env: Record<string, string>) =>
    createAuthContext(
      parseConfig({ SMTP_URL: mailbox.url, ...env }),
      database.db,
      database.secrets,
      QUICK_WORK,
    )
  const start = async (env: Record<string, string> = {}) => {
    const auth = await context({ PRINCIPAL_ADMIN_EMAIL: BOSS, ...env })
    const news = await ensurePrincipal(auth)
    await sendQueuedMail(auth, { send: createMailTransport(auth.config, createLogger('silent')) })
    return { news, passwords: auth.passwords }
  }
  const hold = async ({ confirmed, role, banned, ...rest }: (typeof HOLDERS)[keyof typeof HOLDERS]) => {
    const { passwords } = await context({})
    const { db } = database
    const at = new Date().toISOString()
    const passwordHash = await passwords.hash(STRANGERS_PASSWORD)
    const bannedUntil = banned ? '2999-01-01T00:00:00.000Z' : null
    const user = await insertUser(db, { email: BOSS, passwordHash, confirmed, bannedUntil, ...rest })
    const id = user?.id ?? ''
    if (role !== null)
      await db
        .insertInto('admin_roles')
        .values({ user_id: id, role, created_at: at, updated_at: at })
        .execute()
    const account = await lockAccount(db, { userId: id })
    const login = await openLogin(account, { aal: 'aal1', userAgent: '' })
    const session = { aal: 'aal1', amr: passwordAmr(), userAgent: '' } as const
    await openSession({ refreshSecret: 'segredo' }, account, { ...session, loginId: login.loginId })
    await openSession({ refreshSecret: 'segredo' }, account, { ...session, loginId: null })
    await db
      .insertInto('auth_factors')
      .values({
        id,
        user_id: id,
        friendly_name: '',
        factor_type: 'totp',
        status: 'verified',
        secret: 'X',
        created_at: at,
        updated_at: at,
      })
      .execute()
    await db
      .insertInto('auth_one_time_tokens')
      .values({
        id,
        user_id: id,
        kind: 'recovery',
        token_hash: id,
        sent_to: BOSS,
        created_at: at,
        expires_at: '2999-01-01T00:00:00.000Z',
      })
      .execute()
    await db.updateTable('auth_users').set({ new_email: 'x@exemplo.com.br' }).where('id', '=', id).execute()
    return id
  }
  const waysIn = async (id: string) => {
    const count = async (table: 'auth_sessions' | 'auth_logins' | 'auth_factors' | 'auth_one_time_tokens') =>
      (await database.db.selectFrom(table).select('id').where('user_id', '=', id).execute()).length
    return (
      (await count('auth_sessions')) +
      (await count('auth_logins')) +
      (await count('auth_factors')) +
      (await count('auth_one_time_tokens'))
    )
  }
  const roles = async () =>
    (
      await database.db
        .selectFrom('admin_roles as r')
        .innerJoin('auth_users as u', 'u.id', 'r.user_id')
        .select(['u.email', 'r.role'])
        .orderBy('u.email')
        .execute()
    ).map(({ email, role }) => `${email} ${role}`)

  test.each(Object.entries(HOLDERS))('loses every credential and is informed: %s', async (who, holder) => {
    const id = await hold(holder)
    const { news, passwords } = await start()
    const after = await findUserByEmail(database.db, BOSS)
    expect(after).toMatchObject({ id, banned_until: null, new_email: null })
    expect(after?.email_confirmed_at).not.toBeNull()
    expect(await waysIn(id)).toBe(0)
    expect(await passwords.verify(after?.password_hash ?? null, STRANGERS_PASSWORD)).toBe(false)
    expect(news).toMatchObject({ how: 'taken over' })
    expect(await passwords.verify(after?.password_hash ?? null, news?.password ?? '')).toBe(true)
    expect(await roles()).toEqual(['antes@exemplo.com.br super_admin', `${BOSS} super_admin`])
    const mail = await mailbox.take(BOSS)
    expect(mail.subject).toBe('Sua conta agora é a do administrador principal')
    expect(mail.text).not.toContain(news?.password ?? '')
    shut.add(who)
  })

  test('gets the configured password, which is not printed', async () => {
    const id = await hold(HOLDERS['a stranger who signed up'])
    const { news, passwords } = await start({ PRINCIPAL_ADMIN_PASSWORD: OPERATORS_PASSWORD })
    expect(news).toEqual({ how: 'taken over', password: null })
    const after = await findUserByEmail(database.db, BOSS)
    expect(after?.id).toBe(id)
    expect(await passwords.verify(after?.password_hash ?? null, OPERATORS_PASSWORD)).toBe(true)
    await mailbox.take(BOSS)
  })

  test('is taken over once by one of five processes, and left alone at later starts', async () => {
    const id = await hold(HOLDERS['a stranger who signed up'])
    const news = (await Promise.all(Array.from({ length: 5 }, () => start()))).map(({ news }) => news)
    expect(news.filter((news) => news?.how === 'taken over')).toHaveLength(1)
    expect(new Set(news.map((news) => news?.password)).size).toBe(1)
    const { password_hash: settled } = (await findUserByEmail(database.db, BOSS)) ?? {}
    await openLogin(await lockAccount(database.db, { userId: id }), { aal: 'aal1', userAgent: '' })
    expect((await start({ PRINCIPAL_ADMIN_PASSWORD: OPERATORS_PASSWORD })).news).toEqual({
      how: 'unused',
      password: news[0]?.password,
    })
    expect((await findUserByEmail(database.db, BOSS))?.password_hash).toBe(settled)
    expect(await waysIn(id)).toBe(1)
    await mailbox.take(BOSS)
    expect(mailbox.received).toEqual([])
  })

  test('stays unchanged if the audit trail shows that the configuration made it', async () => {
    await database.db.updateTable('site_state').set({ principal_id: null }).execute()
    const before = await findUserByEmail(database.db, 'antes@exemplo.com.br')
    const { news } = await start({ PRINCIPAL_ADMIN_EMAIL: 'antes@exemplo.com.br' })
    expect(news?.how).not.toBe('taken over')
    const after = await findUserByEmail(database.db, 'antes@exemplo.com.br')
    expect(after?.password_hash).toBe(before?.password_hash)
  })
})

test('writes its row of docs/reports/attacks.md', () => {
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B9',
    `an account has the principal’s address before the configuration names it: ${shut.size} kinds of holder`,
    'it becomes the principal with a new password; its sessions, factors and pending email are deleted, and its former holder gets an email; one replica does this once',
    '`src/server/auth/accounts/principal-takeover.test.ts`',
  ])
})
