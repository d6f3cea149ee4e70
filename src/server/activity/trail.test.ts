import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeDatabase, type TestDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { change } from '../db/transactions/change.ts'
import { AUDITED, recordAudit } from './trail.ts'

describe.each(TIER_ENGINES)('listeners of the audit trail, on %s', (engine) => {
  let database: TestDatabase
  const announced: string[] = []
  const listen = (entry: unknown) => announced.push((entry as { action: string }).action)
  beforeAll(async () => {
    database = await makeDatabase(engine)
    AUDITED.subscribe(listen)
  })
  afterAll(async () => {
    AUDITED.unsubscribe(listen)
    await database.close()
  })

  const entry = (action: string) => ({ actor_id: null, actor: 'ana@exemplo.com.br', action })

  test('are called after the commit, once, and never after a rollback', async () => {
    const { db } = database
    await expect(
      change(db, async (trx) => {
        await recordAudit(trx, entry('rolled back'))
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    let attempts = 0
    await change(
      db,
      async (trx) => {
        await recordAudit(trx, entry('tried twice'))
        expect(announced).toEqual([])
        if (++attempts === 1) throw new Error('again')
      },
      { isRetriable: () => true },
    )
    await recordAudit(db, entry('alone'))
    expect(announced).toEqual(['tried twice', 'alone'])
    const stored = await db.selectFrom('audit_events').select('action').execute()
    expect(stored.map(({ action }) => action).sort()).toEqual(announced.toSorted())
  })
})
