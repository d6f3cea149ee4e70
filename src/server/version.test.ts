import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { VERSION } from './config.ts'

test('the release has one number, and the changelog knows it', () => {
  expect(JSON.parse(readFileSync('package.json', 'utf8')).version).toBe(VERSION)
  expect(JSON.parse(readFileSync('package-lock.json', 'utf8')).version).toBe(VERSION)
  expect(readFileSync('CHANGELOG.md', 'utf8')).toMatch(/^## \[Unreleased\]$/m)
})
