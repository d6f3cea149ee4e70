import { AsyncLocalStorage } from 'node:async_hooks'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeDatabase, type TestDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { QUICK_WORK } from '#tests/support/quick-work.ts'
import { sendQueuedMail } from '#tests/support/send-queued-mail.ts'
import { parseConfig } from '../config.ts'
import { runSweeps } from '../db/sweep.ts'
import { change } from '../db/transactions/change.ts'
import { countHit, RateCounter } from '../http/limits/counter.ts'
import { PublicLimits } from '../http/limits/public.ts'
import { createLogger } from '../http/logging/logger.ts'
import { accountMailChannel, mailAdministrators, mailTokens, sendNotice } from './account-mail.ts'
import { insertUser } from './accounts/users.ts'
import { createAuthContext, registerAuth } from './auth.ts'
import type { AuthContext } from './context.ts'

const KNOWN = 'ana@exemplo.com.br'
/** As long as the known address, because stored bytes are compared. */
const UNKNOWN = 'eva@exemplo.com.br'
/** The first is within every limit, the others exceed the limit per address. */
const REQUESTS = 4

const CALLS = [
  ['/recover', {}],
  ['/otp', {}],
  ['/otp', { create_user: false }],
  ['/resend', { type: 'signup' }],
  ['/resend', { type: 'email_change' }],
] as const

describe.each(TIER_ENGINES)('work of a public call before its response, on %s', (engine) => {
  describe.each(['closed', 'open'])('with sign-up %s', (signup) => {
    let database: TestDatabase
    let app: FastifyInstance
    let context: AuthContext
    let apikey: string
    /** Statements of one call: counts and sweeps run their own meanwhile. */
    const asking = new AsyncLocalStorage<string[]>()
    beforeAll(async () => {
      database = await makeDatabase(engine)
      const config = parseConfig({ AUTH_SIGNUP: signup })
      const log = createLogger('silent')
      const counter = new RateCounter(database.db, log)
      // Its statements once a second are not part of a response.
      await counter.stop()
      const limits = new PublicLimits({ counter, log, config })
      context = await createAuthContext(config, database.db, database.secrets, { ...QUICK_WORK, log, limits })
      app = Fastify()
      runSweeps(app, database.db)
      await registerAuth(app, context)
      await app.ready()
      // Keys are re-read every five seconds as well.
      const keys = await context.keys.current()
      vi.spyOn(context.keys, 'current').mockResolvedValue(keys)
      apikey = keys.anonKey
      await insertUser(database.db, { email: KNOWN, passwordHash: null, confirmed: true })
      // Patched on the class, because a transaction has its own executor.
      const executors = executorClass(database.db.getExecutor())
      const execute = executors.executeQuery
      vi.spyOn(executors, 'executeQuery').mockImplementation(function (this: typeof executors, query) {
        asking.getStore()?.push(query.sql)
        return execute.call(this, query)
      })
    })
    afterAll(async () => {
      vi.restoreAllMocks()
      await app.close()
      await database.close()
    })

    const ask = async (path: string, body: object, email: string) => {
      const before = new Set((await jobs()).map(({ id }) => id))
      const statements: string[] = []
      const response = await asking.run(
        statements,
        // The builder starts when it is awaited.
        async () =>
          await app.inject({
            method: 'POST',
            url: `/auth/v1${path}`,
            headers: { apikey },
            payload: { ...body, email },
          }),
      )
      const { date: _date, ...headers } = response.headers
      const seen = { status: response.statusCode, text: response.body, headers, statements }
      const rows = (await jobs())
        .filter(({ id }) => !before.has(id))
        .map(({ kind, payload, sealed, attempts }) => ({ kind, payload, attempts, size: sealed?.length }))
      return { ...seen, rows }
    }
    const jobs = () => database.db.selectFrom('deliveries').selectAll().execute()

    test.each(CALLS)(
      'POST %s %j: the same statements, rows and response for every address',
      async (path, body) => {
        for (let n = 0; n < REQUESTS; n++) {
          const known = await ask(path, body, KNOWN)
          const unknown = await ask(path, body, UNKNOWN)
          expect(unknown).toEqual(known)
          expect(known).toMatchObject({ status: 200, text: '{}' })
          expect(known.statements.length).toBeGreaterThan(0)
          expect(known.statements.join()).not.toContain('auth_users')
          if (known.rows.length > 0) expect(known.statements.join()).toContain('insert into "deliveries"')
        }
      },
    )

    test('stores the same unreadable jobs for every address', async () => {
      const waiting = await jobs()
      // `create_user` is not a separate request: it comes within the same minute.
      expect(waiting).toHaveLength(2 * (CALLS.length - 1))
      expect(new Set(waiting.map(({ kind }) => kind))).toEqual(new Set(['account-mail']))
      expect(JSON.stringify(waiting)).not.toMatch(/ana@|eva@|"otp|"recover/)
    })

    test('emails each requested kind to accounts only', async () => {
      const sent = await sendQueuedMail(context)
      const kindsTo = (address: string) => sent.filter(({ to }) => to === address).map(({ kind }) => kind)
      expect(kindsTo(KNOWN).sort()).toEqual(['magiclink', 'recovery'])
      if (signup === 'closed') expect(kindsTo(UNKNOWN)).toEqual([])
      // Once `/otp` has created the account, the other requests find it.
      else expect(kindsTo(UNKNOWN)).toContain('signup')
      expect(await jobs()).toEqual([])
    })
  })
})

/** The prototype that has the method. */
function executorClass<T extends { executeQuery: unknown }>(executor: T): T {
  let found: T = executor
  while (!Object.hasOwn(found, 'executeQuery')) found = Object.getPrototypeOf(found) as T
  return found
}

describe.each(TIER_ENGINES)('account mail, on %s', (engine) => {
  let database: TestDatabase
  let context: AuthContext
  beforeAll(async () => {
    database = await makeDatabase(engine)
    context = await createAuthContext(parseConfig({}), database.db, database.secrets, QUICK_WORK)
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    for (const table of ['admin_roles', 'auth_users', 'deliveries', 'rate_limits'] as const)
      await database.db.deleteFrom(table).execute()
  })

  const add = async (name: string, columns: { banned_until?: string; deleted_at?: string } = {}) => {
    const { db } = database
    const email = `${name}@exemplo.com.br`
    const user = await insertUser(db, { email, passwordHash: null, confirmed: true })
    if (user === null) throw new Error('taken')
    if (Object.keys(columns).length > 0)
      await db.updateTable('auth_users').set(columns).where('id', '=', user.id).execute()
    return user
  }
  const waiting = () =>
    database.db.selectFrom('deliveries').select(['kind', 'attempts', 'leased_until']).execute()

  test('sends nothing for a change that is rolled back', async () => {
    const user = await add('ana')
    const work = change(database.db, async (trx) => {
      await sendNotice(context, trx, { user, kind: 'password', by: 'self' })
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    expect(await waiting()).toEqual([])
  })

  test('is prepared once or not at all: a failure leaves the job, no token and no email', async () => {
    const { db } = database
    const { id: userId } = await add('ana')
    await change(db, (trx) => mailTokens(context, trx, { userId, kinds: ['recovery'] }))
    const tokens = () => db.selectFrom('auth_one_time_tokens').select('id').execute()
    let failures = 1
    const secrets = {
      decrypt: context.secrets.decrypt.bind(context.secrets),
      // By then the token is issued.
      encrypt: (...args: Parameters<typeof context.secrets.encrypt>) =>
        failures-- > 0 ? Promise.reject(new Error('killed')) : context.secrets.encrypt(...args),
    }
    const [lane] = await accountMailChannel({ ...context, secrets }, createLogger('silent')).list(
      db,
      Date.now(),
    )
    const round = { db, now: Date.now, leaseMs: 1_000, signal: new AbortController().signal }
    await expect(lane?.run(round)).rejects.toThrow('killed')
    expect(await waiting()).toMatchObject([{ kind: 'account-mail', attempts: 1 }])
    expect(await tokens()).toEqual([])
    // As a server does at start with jobs of a killed one.
    await db
      .updateTable('deliveries')
      .set({ leased_until: null, next_attempt_at: new Date().toISOString() })
      .execute()
    expect(await sendQueuedMail(context)).toMatchObject([{ kind: 'recovery', to: 'ana@exemplo.com.br' }])
    expect(await tokens()).toHaveLength(1)
  })

  test('reaches all administrators with access, when others are banned, deleted or over their limit', async () => {
    const { db } = database
    const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const people = [
      await add('ana'),
      await add('bia'),
      await add('banida', { banned_until: at(1) }),
      await add('excluida', { deleted_at: at(-1) }),
      await add('voltou', { banned_until: at(-1) }),
    ]
    for (const { id } of people)
      await db
        .insertInto('admin_roles')
        .values({ user_id: id, role: 'admin', created_at: at(0), updated_at: at(0) })
        .execute()
    await add('sem-papel')
    for (let n = 0; n < 30; n++) await countHit(db, `mail:account:notice:${people[0]?.id}`, 3_600_000)
    const errors: unknown[] = []
    const log = { warn: () => {}, error: (fields: unknown) => void errors.push(fields) }
    const news = { kind: 'news', subject: 'Assunto', paragraphs: ['Texto.'], path: '/admin', label: 'Abrir' }
    for (let n = 0; n < 2; n++) {
      await change(db, (trx) => mailAdministrators(context, trx, news))
      const sent = await sendQueuedMail(context, { log })
      expect(sent.map(({ to }) => to).sort()).toEqual(['bia@exemplo.com.br', 'voltou@exemplo.com.br'])
    }
    // Logged once.
    expect(errors).toEqual([{ limit: 'account' }])
  })
})
