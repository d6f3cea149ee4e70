import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findViolations, importsOf } from './import-rules.ts'

const files = globSync('src/**/*.{ts,tsx}').filter((file) => !/\.test\.tsx?$/.test(file))

test('every import of the tree goes the right way', () => {
  expect(files.length).toBeGreaterThan(40)
  expect(files.flatMap((file) => findViolations(file, readFileSync(file, 'utf8')))).toEqual([])
})

test.each([
  ['src/landing/landing-page.tsx', '#server/config.ts'],
  ['src/admin/app/app.tsx', '../../landing/document.tsx'],
  ['src/contract/pixel.ts', '#server/db/schema.ts'],
  ['src/server/db/database.ts', '../http/app-error.ts'],
  ['src/server/auth/sign-in.ts', '../data/account-port.ts'],
  ['src/server/new-service/anything.ts', '../auth/sign-in.ts'],
  ['src/server/new-service/anything.ts', '../secrets/secret-box.ts'],
  ['src/server/secrets/secret-box.ts', '../auth/auth-context.ts'],
  ['src/admin/features/pixels/list.tsx', '../admin-users/list.tsx'],
  ['src/admin/lib/client.ts', '../features/pixels/list.tsx'],
  ['src/landing/sections/hero.tsx', './about.tsx'],
  ['src/new-room/anything.ts', '#server/config.ts'],
  ['src/server/http/gate.ts', '../../../tests/support/engines.ts'],
])('%s may not import %s', (file, target) => {
  expect(findViolations(file, `import { x } from '${target}'`)).toHaveLength(1)
})

test.each([
  ['src/server/auth/sign-in.ts', '../db/database.ts'],
  ['src/server/landing/page-store.ts', '#landing/document.tsx'],
  ['src/admin/features/pixels/list.tsx', './row.tsx'],
  ['src/server/app.ts', './auth/sign-in.ts'],
])('%s may import %s', (file, target) => {
  expect(findViolations(file, `import { x } from '${target}'`)).toEqual([])
})

test('type imports, re-exports and dynamic imports count too', () => {
  const source =
    "import type { A } from './a.ts'; export { b } from './b.ts'; await import('./c.ts'); import 'react'"
  expect(importsOf('src/landing/x.ts', source)).toEqual([
    'src/landing/a.ts',
    'src/landing/b.ts',
    'src/landing/c.ts',
  ])
})
