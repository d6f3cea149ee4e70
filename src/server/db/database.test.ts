import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pixelColumns } from '#contract/pixel-columns.ts'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import type { Database } from './database.ts'

describe.each(ENGINES)('the database on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  const pixel = () => ({
    id: randomUUID(),
    name: 'Meta Pixel Principal',
    type: 'meta' as const,
    pixel_id: '482910377165024',
    code: '{"looks": "like JSON"}',
    is_active: true,
    allowed_hosts: JSON.stringify(['a.example']),
    consent_category: 'marketing' as const,
    created_at: '2026-11-15T01:02:03.456Z',
    updated_at: '2026-11-15T01:02:03.456Z',
  })

  test('returns booleans, times, JSON and text as they were written', async () => {
    const row = pixel()
    await database.db.insertInto('tracking_pixels').values(row).execute()
    const read = await database.db
      .selectFrom('tracking_pixels')
      .selectAll()
      .where('id', '=', row.id)
      .executeTakeFirstOrThrow()
    expect({ ...read }).toMatchObject({
      ...row,
      allowed_hosts: ['a.example'],
      conversion_labels: {},
      auto_disable: false,
      delivery: 'browser',
      access_token_stored_at: null,
    })
    expect(Object.keys(read).sort()).toEqual(
      [
        ...pixelColumns(({ read }) => read !== false),
        'deleted_at',
        'deleted_by',
        'active_when_deleted',
      ].sort(),
    )
  })

  test.each([
    ['an empty name', { name: '   ' }],
    ['an unknown type', { type: 'tiktok' as 'meta' }],
    ['a custom pixel with an ID', { type: 'custom' as const }],
    ['a vendor pixel without an ID', { pixel_id: null }],
  ])('refuses %s', async (_what, change) => {
    await expect(
      database.db
        .insertInto('tracking_pixels')
        .values({ ...pixel(), ...change })
        .execute(),
    ).rejects.toThrow()
  })

  test('refuses two people with one email, whatever the case', async () => {
    const person = (email: string) => ({
      id: randomUUID(),
      email,
      user_metadata: '{}',
      app_metadata: '{}',
      created_at: '2026-11-15T00:00:00.000Z',
      updated_at: '2026-11-15T00:00:00.000Z',
    })
    await database.db.insertInto('auth_users').values(person('ana@exemplo.com.br')).execute()
    await expect(
      database.db.insertInto('auth_users').values(person('ANA@exemplo.com.br')).execute(),
    ).rejects.toThrow()
  })

  test('rolls a failed transaction back', async () => {
    const row = pixel()
    const work = database.db.transaction().execute(async (trx) => {
      await trx.insertInto('tracking_pixels').values(row).execute()
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    expect(
      await database.db.selectFrom('tracking_pixels').select('id').where('id', '=', row.id).execute(),
    ).toEqual([])
  })
})
