import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { AUDITED, recordAudit } from '#server/activity/trail.ts'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import type { Database } from '../database.ts'
import { locked } from '../dialect.ts'
import { afterCommit, change } from './change.ts'

const WRITERS = 8

/** The delays before retries are random parts of a limit that grows to seconds. */
function retryAtOnce(): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => random.mockRestore())
}

describe.each(ENGINES)('a change on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  test('keeps what eight concurrent writers add, each with its audit event', async () => {
    const { db } = database
    const add = (writer: number) =>
      change(db, async (trx) => {
        const state = await locked(
          trx,
          trx.selectFrom('site_state').select('tags_paused_by'),
        ).executeTakeFirst()
        const tags_paused_by = `${state?.tags_paused_by ?? ''}${writer}`
        await trx.updateTable('site_state').set({ tags_paused_by }).execute()
        await recordAudit(trx, { actor_id: null, actor: 'test', action: 'test.add' })
      })
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => add(writer)))
    const { tags_paused_by } = await db
      .selectFrom('site_state')
      .select('tags_paused_by')
      .executeTakeFirstOrThrow()
    expect([...(tags_paused_by ?? '')].sort().join('')).toBe('01234567')
    const audited = await db
      .selectFrom('audit_events')
      .select('id')
      .where('action', '=', 'test.add')
      .execute()
    expect(audited).toHaveLength(WRITERS)
  })

  test('runs afterCommit once, however often it was tried, and not after a rollback', async () => {
    retryAtOnce()
    const { db } = database
    const done: string[] = []
    const audited: unknown[] = []
    const onAudited = (entry: unknown) => void audited.push(entry)
    AUDITED.subscribe(onAudited)
    const attempt = (name: string, failures: number) => {
      let left = failures
      return change(db, async (trx) => {
        await recordAudit(trx, { actor_id: null, actor: 'test', action: `test.${name}` })
        afterCommit(trx, () => done.push(name))
        expect(done).not.toContain(name)
        if (left-- > 0) throw Object.assign(new Error('again'), { code: '40001' })
      })
    }
    await attempt('retried', 2)
    await expect(attempt('lost', 100)).rejects.toThrow('again')
    AUDITED.unsubscribe(onAudited)
    expect(done).toEqual(['retried'])
    expect(audited).toMatchObject([{ action: 'test.retried' }])
    afterCommit(db, () => done.push('at once'))
    expect(done).toEqual(['retried', 'at once'])
  })

  test('retries the victim of a deadlock', async () => {
    const { db } = database
    const keys = ['a', 'b']
    const expires_at = new Date().toISOString()
    await db
      .insertInto('rate_limits')
      .values(keys.map((key) => ({ key, count: 0, expires_at })))
      .execute()
    const touch = (order: string[]) =>
      change(db, async (trx) => {
        for (const key of order)
          await trx
            .updateTable('rate_limits')
            .set((eb) => ({ count: eb('count', '+', 1) }))
            .where('key', '=', key)
            .execute()
      })
    await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) => touch(writer % 2 === 0 ? keys : keys.toReversed())),
    )
    const rows = await db.selectFrom('rate_limits').select('count').where('key', 'in', keys).execute()
    expect(rows).toEqual([{ count: WRITERS }, { count: WRITERS }])
  })

  test('gives up after a bounded number of attempts, with the cause', async () => {
    retryAtOnce()
    let attempts = 0
    const work = change(database.db, async () => {
      attempts++
      throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
    })
    await expect(work).rejects.toThrow('deadlock detected')
    expect(attempts).toBe(8)
  })

  test('is not retried after another error', async () => {
    let attempts = 0
    const work = change(database.db, async () => {
      attempts++
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    expect(attempts).toBe(1)
  })
})
