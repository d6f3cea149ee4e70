import Fastify from 'fastify'
import { describe, expect, test, vi } from 'vitest'
import { parseConfig } from '#server/config.ts'
import { runSweeps } from '#server/db/sweep.ts'
import { RateCounter } from '#server/http/limits/counter.ts'
import { PublicLimits } from '#server/http/limits/public.ts'
import { createLogger } from '#server/http/logging/logger.ts'
import { makeDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { QUICK_WORK } from '#tests/support/quick-work.ts'
import { insertUser } from '../accounts/users.ts'
import { createAuthContext, registerAuth } from '../auth.ts'

const KNOWN = 'ana@exemplo.com.br'
const WITHOUT_PASSWORD = 'bia@exemplo.com.br'
const UNKNOWN = 'ninguem@exemplo.com.br'

describe.each(TIER_ENGINES)('a wrong password on %s', (engine) => {
  test('costs the same work and gives the same response for known and unknown addresses', async () => {
    const database = await makeDatabase(engine)
    const config = parseConfig({})
    const log = createLogger('silent')
    const counter = new RateCounter(database.db, log)
    // Its statements once a second are not part of a response.
    await counter.stop()
    const limits = new PublicLimits({ counter, log, config })
    const context = await createAuthContext(config, database.db, database.secrets, {
      ...QUICK_WORK,
      log,
      limits,
    })
    const passwordHash = await context.passwords.hash('janela-verde-oceano-41')
    await insertUser(database.db, { email: KNOWN, passwordHash, confirmed: true })
    await insertUser(database.db, { email: WITHOUT_PASSWORD, passwordHash: null, confirmed: true })
    const app = Fastify()
    runSweeps(app, database.db)
    await registerAuth(app, context)
    const apikey = (await context.keys.current()).anonKey
    const verify = vi.spyOn(context.passwords, 'verify')
    const executor = database.db.getExecutor()
    const execute = executor.executeQuery.bind(executor)
    const statements: string[] = []
    vi.spyOn(executor, 'executeQuery').mockImplementation((query) => {
      statements.push(query.sql)
      return execute(query)
    })
    const guess = async (email: string) => {
      statements.length = 0
      verify.mockClear()
      const response = await app.inject({
        method: 'POST',
        url: '/auth/v1/token?grant_type=password',
        headers: { apikey },
        payload: { email, password: 'errada-com-certeza' },
      })
      const { date: _date, ...headers } = response.headers
      const { statusCode: status, body } = response
      return { status, body, headers, statements: [...statements], hashes: verify.mock.calls.length }
    }
    const known = await guess(KNOWN)
    expect(known).toMatchObject({ status: 400, hashes: 1 })
    expect(known.statements.length).toBeGreaterThan(0)
    expect(await guess(UNKNOWN)).toEqual(known)
    expect(await guess(WITHOUT_PASSWORD)).toEqual(known)
    await app.close()
    await database.close()
  })
})
