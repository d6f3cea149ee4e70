import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Those of `component` share nothing, and those that are apart run where nothing is shared. */
const shared = globSync([
  '{src,scripts}/**/*.test.{ts,tsx}',
  'tests/{acceptance,e2e,process}/**/*.ts',
]).filter((file) => !file.endsWith('.apart.test.ts'))

test('no file that shares what it imports replaces a module: the others would get it too', () => {
  expect(shared.length).toBeGreaterThan(200)
  const replacing = shared.filter((file) => /\bvi\.(mock|doMock)\(/.test(readFileSync(file, 'utf8')))
  expect(replacing).toEqual([])
})
