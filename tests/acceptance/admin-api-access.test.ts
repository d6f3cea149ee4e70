import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADMIN_API_EXCEPTIONS } from '#server/http/security/administrators.ts'
import { sourceFiles } from '#tests/support/source-files.ts'
import { appRoutes } from '../support/app-routes.ts'
import { writeDocTable } from '../support/doc-table.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { type AuthCall, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

/** Every route of `/admin/api` is called by everyone; only the table of exceptions may differ. */
let site: TestApp
let keys: AuthKeys
let routes: { method: string; path: string; name: string }[]
beforeAll(async () => {
  site = await startTestApp({ env: { AUTH_SIGNUP: 'open' } })
  keys = await readKeys(site)
  const names = appRoutes(site.app, ':id')
  routes = appRoutes(site.app)
    .map((route, at) => ({ ...route, name: `${route.method} ${names[at]?.path}` }))
    // Other addresses have no handler.
    .filter(({ path }) => path.startsWith('/admin/api/') && path !== '/admin/api/x')
})
afterAll(() => site.close())

type Credentials = Pick<AuthCall, 'apikey' | 'bearer'>

/** The status of each route, ignoring errors about an unknown id or empty body, which are neither 401 nor 403. */
async function ask(caller: Credentials): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const { method, path, name } of routes) {
    const answer = await call(site, { ...caller, method: method as 'GET', path })
    const isRefused = answer.status === 401 || answer.status === 403
    answers[name] = isRefused ? String(answer.status) : 'admitted'
    if (isRefused && method !== 'HEAD') answers[name] += ` ${answer.body.error}`
  }
  return answers
}

/** The same for every route, except the named ones. */
function expected(usual: string, exceptions: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(
    routes.map(({ name, method }) => {
      const answer = exceptions[name.replace('HEAD ', 'GET ')] ?? usual
      return [name, method === 'HEAD' ? (answer.split(' ')[0] ?? '') : answer]
    }),
  )
}

async function signIn(path: string, body: object): Promise<{ id: string } & Credentials> {
  const answer = await call(site, { method: 'POST', path: `/auth/v1/${path}`, apikey: keys.anon, body })
  expect(answer.status).toBe(200)
  return { id: answer.body.user.id, apikey: keys.anon, bearer: answer.body.access_token }
}

async function addFactor(userId: string): Promise<void> {
  const at = new Date().toISOString()
  const factor = { friendly_name: '', factor_type: 'totp', status: 'verified', secret: 'x' } as const
  await site.database.db
    .insertInto('auth_factors')
    .values({ ...factor, id: crypto.randomUUID(), user_id: userId, created_at: at, updated_at: at })
    .execute()
}

const ALERTS = ['GET /admin/api/alerts', 'PUT /admin/api/alerts']
const USE_CODE = 'POST /admin/api/recovery-codes/use'
const OWN_ACCOUNT = [
  'GET /admin/api/logins',
  'DELETE /admin/api/logins/:id',
  'GET /admin/api/recovery-codes',
  'POST /admin/api/recovery-codes',
]
const each = (names: readonly string[], answer: string) =>
  Object.fromEntries(names.map((name) => [name, answer]))

test('lists the exceptions', () => {
  expect(Object.keys(ADMIN_API_EXCEPTIONS).sort()).toEqual([...ALERTS, ...OWN_ACCOUNT, USE_CODE].sort())
  expect(routes.length).toBeGreaterThan(60)
})

test.each<[string, () => Credentials]>([
  ['nobody', () => ({})],
  ['a forged key', () => ({ apikey: `${keys.anon.slice(0, -4)}AAAA`, bearer: keys.service })],
  ['the public key', () => ({ apikey: keys.anon })],
  ['the public key as bearer token', () => ({ apikey: keys.anon, bearer: keys.anon })],
])('returns 401 everywhere for %s', async (_who, caller) => {
  expect(await ask(caller())).toEqual(expected('401 unauthorized'))
})

test('returns 401 everywhere for a foreign token', async () => {
  expect(await ask({ apikey: keys.anon, bearer: 'x.y.z' })).toEqual(expected('401 bad_jwt'))
})

test('returns 403 for an account without the role, except for its own account', async () => {
  const stranger = await signIn('signup', { email: 'ana@exemplo.com.br', password: 'girassol-tamborim-91' })
  const own = each([...OWN_ACCOUNT, USE_CODE], 'admitted')
  expect(await ask(stranger)).toEqual(expected('403 forbidden', own))
  await addFactor(stranger.id)
  const halfway = { ...each(OWN_ACCOUNT, '403 insufficient_aal'), [USE_CODE]: 'admitted' }
  expect(await ask(stranger)).toEqual(expected('403 forbidden', halfway))
})

test('accepts administrators everywhere, and without the second factor only a recovery code', async () => {
  const admin = await signIn('token?grant_type=password', PRINCIPAL)
  expect(await ask(admin)).toEqual(expected('admitted'))
  await addFactor(admin.id)
  expect(await ask(admin)).toEqual(expected('403 insufficient_aal', { [USE_CODE]: 'admitted' }))
  await site.database.db.updateTable('auth_users').set({ banned_until: '2999-01-01T00:00:00.000Z' }).execute()
  expect(await ask(admin)).toEqual(expected('401 user_banned'))
})

test('accepts service keys for everything that does not belong to a person', async () => {
  const people = each([...ALERTS, ...OWN_ACCOUNT, USE_CODE], '403 forbidden')
  expect(await ask({ apikey: keys.service, bearer: keys.service })).toEqual(expected('admitted', people))
})

/** A route in the sources: its comment, and the named type of its response. */
const ROUTE =
  /\/\*\* (.+) \*\/\n {2}scope\.(\w+)\('(\/admin\/api\/[^']+)', (?:async )?\((?:.*?\): Promise<(\w+)[>[])?/g

test('docs/integrate/admin-api.md lists every route', () => {
  const described = new Map<string, { words: string; answer: string | undefined }>()
  for (const file of sourceFiles('src/server'))
    for (const [, words = '', method = '', url = '', answer] of readFileSync(file, 'utf8').matchAll(ROUTE))
      described.set(`${method.toUpperCase()} ${url}`, { words, answer })
  const known = routes.filter(({ method }) => method !== 'HEAD').map(({ name }) => name)
  expect([...described.keys()].map((name) => name.replace(/:\w+/g, ':id')).sort()).toEqual(known.sort())
  const types = new Map<string, string>()
  for (const file of sourceFiles('src/contract'))
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm))
      types.set(name, file)
  const rows = [...described]
    .sort(([a], [b]) => byPath(a).localeCompare(byPath(b)))
    .map(([name, { words, answer = '' }]) => {
      const [method = '', url = ''] = name.split(' ')
      const file = types.get(answer)
      return [`\`${url}\``, method, describeAccess(name), words, file ? `[\`${answer}\`](../../${file})` : '']
    })
  writeDocTable('docs/integrate/admin-api.md', 'routes', [
    ['path', 'method', 'access', 'what it does', 'answer'],
    ...rows,
  ])
})

const byPath = (name: string) => name.split(' ').reverse().join(' ')

function describeAccess(name: string): string {
  const access = ADMIN_API_EXCEPTIONS[name]
  if (access === undefined) return 'administrator'
  if (access.role) return 'person'
  return access.secondFactor ? 'own account' : 'own account, before the second factor'
}
