import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sourceFiles } from '#tests/support/source-files.ts'
import { findViolations, importsOf } from './import-rules.ts'

const files = sourceFiles('src')

test('every import follows the rules', () => {
  expect(files.length).toBeGreaterThan(40)
  expect(files.flatMap((file) => findViolations(file, readFileSync(file, 'utf8')))).toEqual([])
})

test.each([
  ['src/landing/pages/landing-page.tsx', '#server/config.ts'],
  ['src/admin/app/app.tsx', '../../landing/pages/document.tsx'],
  ['src/contract/pixel.ts', '#server/db/schema/index.ts'],
  ['src/server/db/database.ts', '../http/errors.ts'],
  ['src/server/auth/auth.ts', '../tags/tags.ts'],
  ['src/server/stats/counts.ts', '../activity/trail.ts'],
  ['src/server/outbox/worker.ts', '#server/conversions/channel.ts'],
  ['src/server/new-module/anything.ts', '../auth/sign-in.ts'],
  ['src/server/secrets/secrets.ts', '../auth/context.ts'],
  ['src/admin/features/pixels/list.tsx', '../admin-users/list.tsx'],
  ['src/admin/lib/client.ts', '../features/pixels/list.tsx'],
  ['src/landing/sections/hero.tsx', './body.tsx'],
  ['src/landing/pages/render.tsx', '../browser/boot/boot.ts'],
  ['src/landing/pages/landing-page.tsx', '../browser/consent/consent.ts'],
  ['src/landing/sections/footer.tsx', '../browser/islands/islands.tsx'],
  ['src/landing/sections/parts.tsx', '#landing/browser/shared/page.ts'],
  ['src/landing/content/page.ts', '../browser/shared/page.ts'],
  ['src/landing/legal/texts.ts', '../browser/shared/page.ts'],
  ['src/landing/browser/tags/run-tags.ts', '../consent/consent.ts'],
  ['src/landing/browser/shared/page.ts', '../boot/boot.ts'],
  ['src/landing/browser/new-module/anything.ts', '../shared/page.ts'],
  ['src/landing/loose.ts', './content/hero.ts'],
  ['src/server/landing/page.ts', '#landing/sections/hero.tsx'],
  ['src/new-module/anything.ts', '#server/config.ts'],
  ['src/server/http/sockets/raw-server.ts', '../../../tests/support/engines.ts'],
  ['src/server/http/sockets/raw-server.ts', '#tests/support/engines.ts'],
])('%s may not import %s', (file, target) => {
  expect(findViolations(file, `import { x } from '${target}'`)).toHaveLength(1)
})

test.each([
  ['src/server/auth/sign-in.ts', '../db/database.ts'],
  ['src/server/landing/page.ts', '#landing/pages/document.tsx'],
  ['src/admin/features/pixels/list.tsx', './row.tsx'],
  ['src/server/app.ts', './auth/sign-in.ts'],
  ['src/landing/pages/landing-page.tsx', '../browser/consent/notice.tsx'],
  ['src/landing/sections/footer.tsx', '../browser/islands/newsletter-form.tsx'],
  ['src/landing/browser/boot/boot.ts', '../tags/start-tags.ts'],
])('%s may import %s', (file, target) => {
  expect(findViolations(file, `import { x } from '${target}'`)).toEqual([])
})

test('every file of the page is in a module', () => {
  expect(globSync('src/landing/*', { withFileTypes: true }).filter((entry) => entry.isFile())).toEqual([])
  expect(
    globSync('src/landing/browser/*', { withFileTypes: true }).filter((entry) => entry.isFile()),
  ).toEqual([])
})

test('type imports, re-exports and dynamic imports count too', () => {
  const source =
    "import type { A } from './a.ts'; export { b } from './b.ts'; await import('./c.ts'); import 'react'"
  expect(importsOf('src/landing/pages/x.ts', source)).toEqual([
    'src/landing/pages/a.ts',
    'src/landing/pages/b.ts',
    'src/landing/pages/c.ts',
  ])
})

test('durations have one home', () => {
  const own = /^(export )?const (SECOND|MINUTE|HOUR|DAY)_MS = /m
  // A released migration is never edited.
  const homes = files.filter((file) => !file.includes('/migrations/') && own.test(readFileSync(file, 'utf8')))
  expect(homes.filter((file) => !file.includes('.test.'))).toEqual(['src/contract/durations.ts'])
})
