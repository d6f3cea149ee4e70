import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sourceFiles } from '#tests/support/source-files.ts'

/** The one place that opens a transaction for a change, the migrations, which lock everything, and one that only reads. */
const MAY_OPEN = [
  'src/server/db/transactions/change.ts',
  'src/server/db/migrate.ts',
  'src/server/db/transfer/export.ts',
]

test('every transaction of the server goes through change()', () => {
  const files = sourceFiles('src/server')
  const opening = files.filter((file) =>
    /\.(transaction|startTransaction)\(\)/.test(readFileSync(file, 'utf8')),
  )
  expect(opening.sort()).toEqual([...MAY_OPEN].sort())
})
