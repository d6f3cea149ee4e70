import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Component tests share nothing, and `apart` files run without sharing. */
const shared = globSync([
  '{src,scripts}/**/*.test.{ts,tsx}',
  'tests/{acceptance,e2e,process}/**/*.ts',
]).filter((file) => !file.endsWith('.apart.test.ts'))

test('no file that shares imports replaces a module', () => {
  expect(shared.length).toBeGreaterThan(200)
  const replacing = shared.filter((file) => /\bvi\.(mock|doMock)\(/.test(readFileSync(file, 'utf8')))
  expect(replacing).toEqual([])
})
