/** A process made to be killed: writes rows through the real storage layer and acknowledges each after it is stored. */
import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { openDatabase } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'

const [dataDir = ''] = process.argv.slice(2)
const { db } = openDatabase({ dataDir, databaseUrl: null })
await migrate(db)
writeSync(1, 'ready\n')
for (;;) {
  const id = randomUUID()
  const now = new Date().toISOString()
  await db
    .insertInto('newsletter_subscriptions')
    .values({
      id,
      email: `${id}@exemplo.com.br`,
      status: 'pending',
      delivery_key: id,
      next_attempt_at: now,
      created_at: now,
    })
    .execute()
  writeSync(1, `${id}\n`)
}
