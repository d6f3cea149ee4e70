import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { removeFactors, resetPassword } from '#server/auth/accounts/reset-access.ts'
import { createAuthContext } from '#server/auth/auth.ts'
import { Authenticator } from '../support/authenticator.ts'
import { writeDocRow } from '../support/doc-table.ts'
import { TIER_ENGINES } from '../support/engines.ts'
import { Mailbox } from '../support/mailbox.ts'
import { QUICK_WORK } from '../support/quick-work.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const FIRST = 'varanda-azulejo-27'
const SECOND = 'janela-verde-oceano-41'

const PASSWORD = 'Sua senha foi alterada'
const EMAIL = 'O e-mail da sua conta mudou'
const FACTOR_ADDED = 'Verificação em duas etapas ativada'
const FACTOR_REMOVED = 'Verificação em duas etapas desativada'
const FACTORS_REMOVED = 'Verificação em duas etapas e chaves de acesso removidas'
const CODES = 'Você tem novos códigos de recuperação'

const BY_SELF = 'uma pessoa com acesso à sua conta'
const BY_ADMINISTRATOR = 'outra pessoa que administra as contas'
const BY_OPERATOR = 'equipe de TI'

const noticed = new Set<string>()

describe.each(TIER_ENGINES)('notices about sign-in changes, on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let mailbox: Mailbox
  let boss: Client
  let email: string
  let id: string
  let person: Client
  let people = 0
  beforeAll(async () => {
    mailbox = await Mailbox.open()
    site = await startTestApp({ engine, listen: true, env: { SMTP_URL: mailbox.url } })
    keys = await readKeys(site)
    boss = await signIn(PRINCIPAL)
  })
  afterAll(async () => {
    await site.close()
    await mailbox.close()
  })
  beforeEach(async () => {
    await site.forgetLimits()
    email = `pessoa${people++}@exemplo.com.br`
    const { data } = await boss
      .from('admin_users')
      .insert({ email, password: FIRST, role: 'admin' })
      .select('id')
      .single()
    id = String(data?.id)
    person = await signIn({ email, password: FIRST })
  })

  type Client = ReturnType<typeof open>
  const open = (key: string) =>
    createClient(site.url, key, { auth: { persistSession: false, autoRefreshToken: false } })
  const signIn = async (credentials: { email: string; password: string }) => {
    const client = open(keys.anon)
    expect((await client.auth.signInWithPassword(credentials)).error).toBeNull()
    return client
  }
  const operator = async <T>(
    work: (context: Awaited<ReturnType<typeof createAuthContext>>) => Promise<T>,
  ) => {
    const context = await createAuthContext(site.config, site.database.db, site.secrets, QUICK_WORK)
    return work(context)
  }
  const enrol = async (client: Client) => {
    const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Celular' })
    if (data?.type !== 'totp') throw new Error('no factor')
    const code = await new Authenticator(data.totp.secret).next()
    expect((await client.auth.mfa.challengeAndVerify({ factorId: data.id, code })).error).toBeNull()
    return data.id
  }
  const isTold = async (subject: string, by: string, secrets: string[] = []) => {
    const mail = await mailbox.take(email, subject)
    expect(mail.text).toContain(by)
    expect(mail.text).toMatch(/Quando: \d\d\/\d\d\/\d{4},? \d\d:\d\d \(horário de Brasília\)/)
    for (const secret of [FIRST, SECOND, ...secrets]) expect(mail.text + mail.html).not.toContain(secret)
    // The address of the login, and nothing that signs in.
    expect(mail.link).toMatch(/^(?:http:\/\/localhost:\d+\/admin)?$/)
    expect(mail.code).toBe('')
    noticed.add(`${subject}, ${by}`)
  }

  test('are sent for a password changed by the person', async () => {
    expect((await person.auth.updateUser({ password: SECOND, current_password: FIRST })).error).toBeNull()
    await isTold(PASSWORD, BY_SELF)
  })

  test('are sent for a password changed after a recovery', async () => {
    await open(keys.anon).auth.resetPasswordForEmail(email)
    const { link } = await mailbox.take(email, 'Crie uma nova senha')
    const recovering = open(keys.anon)
    const token_hash = new URL(link).searchParams.get('token') ?? ''
    await recovering.auth.verifyOtp({ token_hash, type: 'recovery' })
    expect((await recovering.auth.updateUser({ password: SECOND })).error).toBeNull()
    await isTold(PASSWORD, BY_SELF)
  })

  test('are sent for a password changed by another administrator', async () => {
    expect((await boss.from('admin_users').update({ password: SECOND }).eq('id', id)).error).toBeNull()
    await isTold(PASSWORD, BY_ADMINISTRATOR)
  })

  test(`are sent for one's own password changed under "Usuários Admin"`, async () => {
    const change = { password: SECOND, current_password: FIRST }
    expect((await person.from('admin_users').update(change).eq('id', id)).error).toBeNull()
    await isTold(PASSWORD, BY_SELF)
  })

  test('are sent for a password changed with a service key', async () => {
    const { error } = await open(keys.service).auth.admin.updateUserById(id, { password: SECOND })
    expect(error).toBeNull()
    await isTold(PASSWORD, BY_ADMINISTRATOR)
  })

  test('are sent for a password changed by command', async () => {
    const password = await operator((context) => resetPassword(context, email))
    await isTold(PASSWORD, BY_OPERATOR, [password ?? ''])
  })

  test('are sent to the former address, if another administrator changed it', async () => {
    const next = `nova${email}`
    expect((await boss.from('admin_users').update({ email: next }).eq('id', id)).error).toBeNull()
    await isTold(EMAIL, BY_ADMINISTRATOR, [next])
  })

  test('are sent for an address changed with a service key', async () => {
    const next = `nova${email}`
    const { error } = await open(keys.service).auth.admin.updateUserById(id, { email: next })
    expect(error).toBeNull()
    await isTold(EMAIL, BY_ADMINISTRATOR, [next])
  })

  test('are sent for an address that both mailboxes confirmed', async () => {
    const next = `nova${email}`
    expect((await person.auth.updateUser({ email: next })).error).toBeNull()
    for (const [to, subject] of [
      [email, 'Confirme a alteração do seu e-mail'],
      [next, 'Confirme seu novo e-mail'],
    ] as const) {
      const { link } = await mailbox.take(to, subject)
      const token_hash = new URL(link).searchParams.get('token') ?? ''
      const token = { token_hash, type: 'email_change' } as const
      expect((await open(keys.anon).auth.verifyOtp(token)).error).toBeNull()
    }
    await isTold(EMAIL, BY_SELF, [next])
  })

  test('are sent for a verified factor, new recovery codes, and a removed factor', async () => {
    const factorId = await enrol(person)
    await isTold(FACTOR_ADDED, BY_SELF)
    const bearer = (await person.auth.getSession()).data.session?.access_token
    const codes = await call(site, {
      method: 'POST',
      path: '/admin/api/recovery-codes',
      apikey: keys.anon,
      bearer,
      body: {},
    })
    expect(codes.status).toBe(200)
    await isTold(CODES, BY_SELF, codes.body.codes)
    expect((await person.auth.mfa.unenroll({ factorId })).error).toBeNull()
    await isTold(FACTOR_REMOVED, BY_SELF)
  })

  test('are sent for a factor removed with a service key and by command', async () => {
    const factorId = await enrol(person)
    const { admin } = open(keys.service).auth
    expect((await admin.mfa.deleteFactor({ userId: id, id: factorId })).error).toBeNull()
    await isTold(FACTOR_REMOVED, BY_ADMINISTRATOR)
    await person.auth.refreshSession()
    await enrol(person)
    expect(await operator((context) => removeFactors(context, email))).toEqual({
      factors: 1,
      passkeys: 0,
    })
    await isTold(FACTORS_REMOVED, BY_OPERATOR)
  })

  test('do not mention the dashboard to a person without a role', async () => {
    const visitor = `visita${people++}@exemplo.com.br`
    const { admin } = open(keys.service).auth
    const made = await admin.createUser({ email: visitor, password: FIRST, email_confirm: true })
    expect(made.error).toBeNull()
    const client = await signIn({ email: visitor, password: FIRST })
    await client.auth.reauthenticate()
    await open(keys.anon).auth.signInWithOtp({ email: visitor })
    await open(keys.anon).auth.resetPasswordForEmail(visitor)
    expect((await client.auth.updateUser({ password: SECOND, current_password: FIRST })).error).toBeNull()
    for (const subject of [
      'Seu código de confirmação',
      'Seu link para entrar',
      'Crie uma nova senha',
      PASSWORD,
    ]) {
      const { text, link } = await mailbox.take(visitor, subject)
      expect(text).not.toContain('painel')
      expect(text).toContain('em Pórtico')
      if (subject === PASSWORD) expect(link).toBe('')
    }
  })

  test('are not sent for a change that was rolled back', async () => {
    const both = await boss
      .from('admin_users')
      .update({ password: SECOND, role: 'admin' })
      .in('email', [email, PRINCIPAL.email])
      .order('email')
    expect(both.error?.code).toBe('principal_admin_protected')
    // Closing waits for everything that is to be sent.
    await site.app.close()
    expect(mailbox.received.filter(({ to }) => to.includes(email))).toEqual([])
  })
})

test('writes its row of docs/reports/attacks.md', () => {
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B11d',
    'a password, an address, an authenticator app or the recovery codes are changed: by the person, after a recovery, by another administrator, with the service key, by command',
    `the person gets an email in each of ${noticed.size} ways, at the former address, without a secret; a change that is rolled back sends none`,
    '`tests/acceptance/account-notices.test.ts`',
  ])
})
