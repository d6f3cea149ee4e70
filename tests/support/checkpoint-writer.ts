/**
 * A process made to be killed: stores choices through the real storage layer, reports each stored one, and makes
 * checkpoints.
 */
import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { addToCheckpoint } from '#server/consent/checkpoints.ts'
import { openDatabase } from '#server/db/database.ts'

const [dataDir = '', databaseUrl = ''] = process.argv.slice(2)
const { db } = openDatabase({ dataDir, databaseUrl: databaseUrl === '' ? null : databaseUrl })
writeSync(1, 'ready\n')
for (let minute = 0; ; minute++) {
  const now = Date.now() + minute * 60_000
  const ids = Array.from({ length: 30 }, () => randomUUID())
  await db
    .insertInto('consent_records')
    .values(
      ids.map((id) => ({
        id,
        consent_id: id,
        action: 'reject',
        categories: '[]',
        text_version: 1,
        tag_set_version: '',
        created_at: new Date().toISOString(),
        schema_version: 1,
        notice_hash: null,
        parties_hash: null,
        retention_days: 1826,
      })),
    )
    .execute()
  writeSync(1, `${ids.join('\n')}\n`)
  await addToCheckpoint(db, { now })
}
