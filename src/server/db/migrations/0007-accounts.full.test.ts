import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { describe, expect, test } from 'vitest'
import { ENGINES, makeStorage } from '#tests/support/engines.ts'
import { type Db, openDatabase } from '../database.ts'
import { migrate } from '../migrate.ts'
import { up as auth } from './0001-auth.ts'
import { up as operation } from './0004-operation.ts'
import { up as accounts } from './0007-accounts.ts'

const CHAIN = 3_000
const AT = '2026-11-15T12:00:00.000Z'

describe.each(ENGINES)('the migration 0007 on %s', (engine) => {
  test(`keeps a chain of ${CHAIN} tokens, and allows its session to be deleted`, async () => {
    const storage = await makeStorage(engine)
    const database = openDatabase(storage)
    const { db } = database
    const untyped = db as unknown as Kysely<unknown>
    await auth(untyped)
    await operation(untyped)
    const { sessionId, ids } = await insertChain(db)
    await db.transaction().execute((trx) => accounts(trx as unknown as Kysely<unknown>))

    const rows = await db.selectFrom('auth_refresh_tokens').select(['id', 'parent_id', 'used_at']).execute()
    expect(rows).toHaveLength(CHAIN)
    const parents = new Map(rows.map((row) => [row.id, row.parent_id]))
    expect(ids.every((id, n) => parents.get(id) === (ids[n - 1] ?? null))).toBe(true)
    expect(rows.every((row) => row.used_at === AT)).toBe(true)
    const { mailbox_proved_at } = await db
      .selectFrom('auth_users')
      .select('mailbox_proved_at')
      .executeTakeFirstOrThrow()
    expect(mailbox_proved_at).toBe(AT)

    await db.deleteFrom('auth_sessions').where('id', '=', sessionId).execute()
    expect(await db.selectFrom('auth_refresh_tokens').select('id').execute()).toEqual([])
    await database.close()
    await storage.remove()
  })

  test('leaves the table otherwise unchanged', async () => {
    const storage = await makeStorage(engine)
    const database = openDatabase(storage)
    await migrate(database.db)
    const tables = await database.db.introspection.getTables()
    const table = tables.find(({ name }) => name === 'auth_refresh_tokens')
    expect(table?.columns.map(({ name, isNullable }) => `${name}${isNullable ? '?' : ''}`)).toEqual([
      'id',
      'session_id',
      'token_hash',
      'parent_id?',
      'used_at?',
      'retired_at?',
      'created_at',
    ])
    await database.close()
    await storage.remove()
  })
})

async function insertChain(db: Db): Promise<{ sessionId: string; ids: string[] }> {
  const [userId, sessionId] = [randomUUID(), randomUUID()]
  const person = { id: userId, email: 'ana@exemplo.com.br', user_metadata: '{}', app_metadata: '{}' }
  await db
    .insertInto('auth_users')
    .values({ ...person, email_confirmed_at: AT, created_at: AT, updated_at: AT })
    .execute()
  await db
    .insertInto('auth_sessions')
    .values({
      id: sessionId,
      user_id: userId,
      aal: 'aal1',
      amr: '[]',
      user_agent: '',
      created_at: AT,
      last_used_at: AT,
    })
    .execute()
  const ids = Array.from({ length: CHAIN }, () => randomUUID())
  const rows = ids.map((id, n) => ({
    id,
    session_id: sessionId,
    token_hash: id,
    parent_id: ids[n - 1] ?? null,
    used_at: AT,
    created_at: AT,
  }))
  for (let at = 0; at < CHAIN; at += 500)
    await db
      .insertInto('auth_refresh_tokens')
      .values(rows.slice(at, at + 500))
      .execute()
  return { sessionId, ids }
}
