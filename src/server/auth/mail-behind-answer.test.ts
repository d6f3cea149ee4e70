import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { QUICK_WORK } from '#tests/support/quick-work.ts'
import { parseConfig } from '../config.ts'
import { runSweeps } from '../db/sweep.ts'
import { HitCounter } from '../http/limits/counter.ts'
import { PublicLimits } from '../http/limits/public.ts'
import { createLogger } from '../http/logging/logger.ts'
import type { OutgoingMail } from '../mail/transport.ts'
import { MailQueue } from './account-mail.ts'
import { insertUser } from './accounts/users.ts'
import { createAuthContext, registerAuth } from './auth.ts'

const KNOWN = 'ana@exemplo.com.br'
const UNKNOWN = 'ninguem@exemplo.com.br'
/** The first is within every limit, the rest are past the one that counts by address. */
const REQUESTS = 4

const CALLS = [
  ['/recover', {}],
  ['/otp', {}],
  ['/otp', { create_user: false }],
  ['/resend', { type: 'signup' }],
  ['/resend', { type: 'email_change' }],
] as const

describe.each(ENGINES)('what a public call does before its answer, on %s', (engine) => {
  describe.each(['closed', 'open'])('with sign-up %s', (signup) => {
    let database: TestDatabase
    let app: FastifyInstance
    let apikey: string
    let release: () => void
    const sent: OutgoingMail[] = []
    const statements: string[] = []
    beforeAll(async () => {
      database = await makeDatabase(engine)
      const config = parseConfig({ AUTH_SIGNUP: signup })
      const log = createLogger('silent')
      const counter = new HitCounter(database.db, log)
      // It shares its counts once a second, whatever is asked meanwhile: those statements are no part of an answer.
      await counter.stop()
      const limits = new PublicLimits({ counter, log, config })
      const context = await createAuthContext(config, database.db, database.secrets, {
        ...QUICK_WORK,
        log,
        limits,
      })
      const answered = new Promise<void>((resolve) => {
        release = resolve
      })
      const mail = new MailQueue({
        send: async (each) => void sent.push(each),
        log,
        begin: () => answered,
      })
      app = Fastify()
      runSweeps(app, database.db)
      await registerAuth(app, { ...context, mail })
      await app.ready()
      // So with the keys, which are looked for again every five seconds.
      const keys = await context.keys.current()
      vi.spyOn(context.keys, 'current').mockResolvedValue(keys)
      apikey = keys.anonKey
      await insertUser(database.db, { email: KNOWN, passwordHash: null, confirmed: true })
      const executor = database.db.getExecutor()
      const execute = executor.executeQuery.bind(executor)
      vi.spyOn(executor, 'executeQuery').mockImplementation((query) => {
        statements.push(query.sql)
        return execute(query)
      })
    })
    afterAll(async () => {
      await app.close()
      await database.close()
    })

    const ask = async (path: string, body: object, email: string) => {
      statements.length = 0
      const response = await app.inject({
        method: 'POST',
        url: `/auth/v1${path}`,
        headers: { apikey },
        payload: { ...body, email },
      })
      const { date: _date, ...headers } = response.headers
      return { status: response.statusCode, text: response.body, headers, statements: [...statements] }
    }

    test.each(CALLS)('POST %s %j: the same statements, the same answer', async (path, body) => {
      for (let n = 0; n < REQUESTS; n++) {
        const known = await ask(path, body, KNOWN)
        const unknown = await ask(path, body, UNKNOWN)
        expect(unknown).toEqual(known)
        expect(known).toMatchObject({ status: 200, text: '{}' })
        expect(known.statements.length).toBeGreaterThan(0)
        expect(known.statements.join()).not.toContain('auth_users')
      }
    })

    test('then mail leaves of each kind that was asked for, and to nobody who has no account', async () => {
      release()
      await expect
        .poll(() => [...new Set(sent.map(({ kind, to }) => `${kind} ${to}`))].sort(), { timeout: 30_000 })
        .toEqual(
          signup === 'closed'
            ? [`magiclink ${KNOWN}`, `recovery ${KNOWN}`]
            : [`magiclink ${KNOWN}`, `recovery ${KNOWN}`, `signup ${UNKNOWN}`],
        )
    })
  })
})
