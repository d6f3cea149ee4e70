import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sourceFiles } from '#tests/support/source-files.ts'

test('no button is disabled while its action runs, because it would lose the focus', () => {
  const faults = sourceFiles('src/admin').filter((file) =>
    /(?<![-\w])disabled=\{[^}]*(?:isPending|isFetching|isLoading)/.test(readFileSync(file, 'utf8')),
  )
  expect(faults).toEqual([])
})
