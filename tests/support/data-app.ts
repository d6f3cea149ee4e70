import { randomUUID } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import Fastify, { type FastifyInstance, type InjectOptions, type LightMyRequestResponse } from 'fastify'
import type { AccountPort } from '#server/data/account-port.ts'
import { registerData } from '#server/data/register-data.ts'
import type { Database } from '#server/db/database.ts'
import { AppError } from '#server/http/app-error.ts'
import type { Caller } from '#server/http/caller.ts'
import { type EngineName, makeDatabase } from './engines.ts'

export const PRINCIPAL_EMAIL = 'principal@exemplo.com.br'

const person = (change: Partial<Extract<Caller, { kind: 'user' }>>): Caller => ({
  kind: 'user',
  userId: '00000000-0000-4000-8000-000000000001',
  email: 'ana@exemplo.com.br',
  sessionId: '00000000-0000-4000-8000-0000000000aa',
  role: 'admin',
  aal: 'aal1',
  needsSecondFactor: false,
  ...change,
})

/** Everyone who may knock, by the name that a scenario gives them. */
export const CALLERS = {
  guest: { kind: 'guest' },
  anon: { kind: 'anon' },
  stranger: person({ role: null }),
  halfway: person({ needsSecondFactor: true }),
  admin: person({}),
  superAdmin: person({ role: 'super_admin' }),
  service: { kind: 'service' },
} satisfies Record<string, Caller>

export type CallerName = keyof typeof CALLERS

export interface DataApp {
  app: FastifyInstance
  database: Database
  /** How often the landing page was told of a change. */
  changes(): number
  call(options: InjectOptions & { as?: CallerName }): Promise<LightMyRequestResponse>
  close(): Promise<void>
}

/** The data service alone, called in process, with the caller named by the test instead of proved by a token. */
export async function startDataApp(engine: EngineName): Promise<DataApp> {
  const database = await makeDatabase(engine)
  const app = Fastify()
  let changes = 0
  await registerData(app, {
    db: database.db,
    origins: ['http://localhost:3000'],
    identify: async (request) => {
      const name = String(request.headers['x-test-caller'])
      if (name === 'expired') throw new AppError(401, 'jwt_expired', 'JWT expired')
      return CALLERS[name as CallerName]
    },
    accounts: tableAccounts,
    onPixelsChanged: async () => {
      changes++
    },
  })
  await tableAccounts.create(database.db, {
    id: randomUUID(),
    email: PRINCIPAL_EMAIL,
    passwordHash: 'x',
    role: 'super_admin',
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  return {
    app,
    database,
    changes: () => changes,
    call: ({ as = 'admin', headers = {}, ...options }) =>
      app.inject({ ...options, headers: { 'x-test-caller': as, ...headers } }),
    close: async () => {
      await app.close()
      await database.close()
    },
  }
}

/** Logins as rows and nothing more: sessions are the auth service's own concern, and tested there. */
const tableAccounts: AccountPort = {
  principalEmail: PRINCIPAL_EMAIL,
  async preparePassword(password) {
    if (password.length < 8) {
      throw new AppError(422, 'weak_password', 'Password should be at least 8 characters.', {
        details: { reasons: ['length'] },
      })
    }
    return hash(password, { memoryCost: 1024, timeCost: 1, parallelism: 1 })
  },
  async create(trx, { id, email, passwordHash, role, createdAt }) {
    const times = { created_at: createdAt, updated_at: createdAt }
    await trx
      .insertInto('auth_users')
      .values({ id, email, password_hash: passwordHash, user_metadata: '{}', app_metadata: '{}', ...times })
      .execute()
    await trx
      .insertInto('admin_roles')
      .values({ user_id: id, role, ...times })
      .execute()
  },
  async update(trx, userId, { email, role, passwordHash }) {
    const login = {
      ...(email === undefined ? {} : { email }),
      ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
    }
    if (Object.keys(login).length > 0) {
      await trx.updateTable('auth_users').set(login).where('id', '=', userId).execute()
    }
    if (role !== undefined) {
      await trx.updateTable('admin_roles').set({ role }).where('user_id', '=', userId).execute()
    }
  },
  async remove(trx, userId) {
    await trx.deleteFrom('auth_users').where('id', '=', userId).execute()
  },
}
