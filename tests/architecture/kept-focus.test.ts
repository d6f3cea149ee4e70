import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('no button of the dashboard is disabled while what it started is under way: it would lose the focus', () => {
  const faults = globSync('src/admin/**/*.tsx').filter((file) =>
    /(?<![-\w])disabled=\{[^}]*(?:isPending|isFetching|isLoading)/.test(readFileSync(file, 'utf8')),
  )
  expect(faults).toEqual([])
})
