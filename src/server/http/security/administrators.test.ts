import Fastify, { type FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { type Caller, registerAdminApi } from './administrators.ts'

const ADMIN: Caller = {
  kind: 'user',
  userId: '00000000-0000-4000-8000-000000000001',
  email: 'marina@exemplo.com.br',
  sessionId: '00000000-0000-4000-8000-0000000000aa',
  role: 'admin',
  aal: 'aal1',
  needsSecondFactor: false,
}

async function start(
  exceptions: Parameters<typeof registerAdminApi>[1]['exceptions'],
  register: (scope: FastifyInstance) => void,
): Promise<FastifyInstance> {
  const app = Fastify()
  const callers = { resolve: async () => ADMIN, recheck: async () => ADMIN }
  await registerAdminApi(
    app,
    { callers, origins: ['https://portico.example'], exceptions: exceptions ?? {} },
    [register],
  )
  return app
}

test('admits administrators, and nobody else, to a route that says nothing of access', async () => {
  let caller = { kind: 'guest' } as Caller
  const app = Fastify()
  const callers = { resolve: async () => caller, recheck: async () => caller }
  await registerAdminApi(app, { callers, origins: [], exceptions: {} }, [
    (scope) => void scope.get('/admin/api/guests', async () => ({ names: [] })),
  ])
  expect((await app.inject('/admin/api/guests')).statusCode).toBe(401)
  caller = { ...ADMIN, role: null }
  expect((await app.inject('/admin/api/guests')).statusCode).toBe(403)
  caller = ADMIN
  expect((await app.inject('/admin/api/guests')).json()).toEqual({ names: [] })
})

const PERSON = { role: true, secondFactor: true, serviceKey: false }

test('passes the caller to the handler, also for HEAD', async () => {
  const app = await start({ 'GET /admin/api/me': PERSON }, (scope) => {
    scope.get('/admin/api/me', async ({ caller }) => caller)
  })
  expect((await app.inject('/admin/api/me')).json()).toEqual(ADMIN)
  expect((await app.inject({ method: 'HEAD', url: '/admin/api/me' })).statusCode).toBe(200)
})

test('fails the start for an exception without a route', async () => {
  const exceptions = { 'GET /admin/api/me': PERSON, 'POST /admin/api/me': PERSON }
  await expect(
    start(exceptions, (scope) => void scope.get('/admin/api/me', async () => null)),
  ).rejects.toThrow('there is no route POST /admin/api/me')
})

test('fails the start for a route outside of /admin/api', async () => {
  await expect(start({}, (scope) => void scope.get('/rest/v1/me', async () => null))).rejects.toThrow(
    'GET /rest/v1/me is no route of /admin/api',
  )
})
