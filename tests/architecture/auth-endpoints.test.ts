import { globSync, readFileSync } from 'node:fs'
import { dirname, relative } from 'node:path/posix'
import { expect, test } from 'vitest'

const AUTH = 'src/server/auth'
/** Files whose routes are registered under a prefix of their own. */
const PREFIXES: Record<string, string> = { 'endpoints/admin/users': '/admin/users', account: '/admin/api' }

interface Route {
  file: string
  path: string
}

const routes = globSync(`${AUTH}/**/*.ts`).flatMap((source): Route[] => {
  const file = relative(AUTH, source)
  const calls = readFileSync(source, 'utf8').matchAll(/\bscope\.(?:get|post|put|delete)\(\s*'([^']*)'/g)
  return Array.from(calls, ([, path = '']) => ({ file, path: (PREFIXES[dirname(file)] ?? '') + path }))
})

/** `/.well-known/jwks.json` lies in `well-known/jwks`, `/admin/users/:id` in `admin/users/`. */
function placeOf(path: string): string[] {
  const steps = path.split('/').filter((step) => step !== '' && !step.startsWith(':'))
  return steps.map((step) => step.replace(/^\.|\.json$/g, '').replaceAll('_', '-'))
}

function liesWhereItsPathSays({ file, path }: Route): boolean {
  if (path.startsWith('/admin/api/')) return dirname(file) === 'account'
  const [root, ...steps] = file.replace(/\.ts$/, '').split('/')
  const place = placeOf(path)
  const folders = steps.slice(0, -1)
  const isNamedAfterPath = steps.at(-1) === place[folders.length]
  return (
    root === 'endpoints' &&
    folders.every((folder, index) => folder === place[index]) &&
    (folders.length > 0 || isNamedAfterPath)
  )
}

test('the file of an endpoint of the auth service lies where its path says', () => {
  expect(routes.length).toBeGreaterThan(30)
  expect(routes.filter((route) => !liesWhereItsPathSays(route))).toEqual([])
})

test.each([
  { file: 'endpoints/misc.ts', path: '/token' },
  { file: 'endpoints/user/token.ts', path: '/token' },
  { file: 'sessions/sign-in.ts', path: '/token' },
  { file: 'endpoints/admin/users/read-user.ts', path: '/admin/generate_link' },
  { file: 'endpoints/logins.ts', path: '/admin/api/logins' },
])('$path in $file would be found', (route) => {
  expect(liesWhereItsPathSays(route)).toBe(false)
})
