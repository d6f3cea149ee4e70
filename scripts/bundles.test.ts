import { expect, test } from 'vitest'
import { BUDGETS, readBundles, weigh } from './bundles.ts'

const { list, later } = readBundles()

test.each([
  ['until the list is shown', list, BUDGETS.list],
  ['in a session that opens every screen', [...list, ...later], BUDGETS.session],
])('%s the dashboard loads no more than its budget', (_when, scripts, most) => {
  const { files, bytes } = weigh(scripts)
  expect(files).toBeLessThanOrEqual(most.files)
  expect(bytes).toBeLessThanOrEqual(most.bytes)
})

test('neither forms nor the auth client are loaded before the list', () => {
  const early = list.map(({ name }) => name)
  expect(later.map(({ name }) => name)).toEqual(expect.arrayContaining(['auth', 'forms']))
  expect(early).toContain('admin')
  expect(early).not.toContain('auth')
})
