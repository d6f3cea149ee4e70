import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { change } from '../db/transactions/change.ts'
import { AUDITED, recordAudit } from './trail.ts'

describe.each(ENGINES)('what is told of the audit trail, on %s', (engine) => {
  let database: TestDatabase
  const told: string[] = []
  const listen = (entry: unknown) => told.push((entry as { action: string }).action)
  beforeAll(async () => {
    database = await makeDatabase(engine)
    AUDITED.subscribe(listen)
  })
  afterAll(async () => {
    AUDITED.unsubscribe(listen)
    await database.close()
  })

  const entry = (action: string) => ({ actor_id: null, actor: 'ana@exemplo.com.br', action })

  test('is told after the commit, once, and never of what was rolled back', async () => {
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
        expect(told).toEqual([])
        if (++attempts === 1) throw new Error('again')
      },
      { isRetriable: () => true },
    )
    await recordAudit(db, entry('alone'))
    expect(told).toEqual(['tried twice', 'alone'])
    const stored = await db.selectFrom('audit_events').select('action').execute()
    expect(stored.map(({ action }) => action).sort()).toEqual(told.toSorted())
  })
})
