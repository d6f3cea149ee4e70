import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { VERSION } from './config.ts'

test('has one release number, which the changelog contains', () => {
  expect(JSON.parse(readFileSync('package.json', 'utf8')).version).toBe(VERSION)
  expect(JSON.parse(readFileSync('package-lock.json', 'utf8')).version).toBe(VERSION)
  expect(readFileSync('CHANGELOG.md', 'utf8')).toMatch(/^## \[Unreleased\]$/m)
})
