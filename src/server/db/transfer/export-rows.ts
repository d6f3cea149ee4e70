import { createHash } from 'node:crypto'
import { VERSION } from '#contract/version.ts'
import type { Db } from '../database.ts'
import { MIGRATION_NAMES } from '../migrate.ts'
import { LEFT_BEHIND } from './left-behind.ts'
import { readPages } from './read-pages.ts'
import { TABLE_NAMES } from './table-order.ts'
import type { TransferFoot, TransferHead } from './transfer-format.ts'

/** Everything that the database keeps, as lines of text. Give it a snapshot: what changes meanwhile would be half there. */
export async function* exportRows(db: Db): AsyncGenerator<string> {
  const hash = createHash('sha256')
  const line = (value: unknown) => {
    const text = `${JSON.stringify(value)}\n`
    hash.update(text)
    return text
  }
  const state = await db.selectFrom('secret_key').select('key_id').executeTakeFirst()
  yield line({
    format: 'portico-export',
    version: 1,
    release: VERSION,
    migrations: [...MIGRATION_NAMES],
    keyId: state?.key_id ?? null,
  } satisfies TransferHead)
  let count = 0
  for (const table of TABLE_NAMES) {
    if (LEFT_BEHIND.has(table)) continue
    yield line({ table })
    for await (const rows of readPages(db, table)) {
      count += rows.length
      yield rows.map((row) => line({ row })).join('')
    }
  }
  const foot: TransferFoot = { rows: count, sha256: hash.digest('hex') }
  yield `${JSON.stringify(foot)}\n`
}
