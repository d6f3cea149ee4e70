import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { PixelDelivery, PixelType } from '#contract/pixel.ts'
import { ENGINES, makeStorage } from '#tests/support/engines.ts'
import { openDatabase } from '../database.ts'
import { MIGRATIONS, migrate } from '../migrate.ts'

describe.each(ENGINES)('the migration 0050 on %s', (engine) => {
  test('sets the destination of rows that the server sends, also in the trash, and of no others', async () => {
    const storage = await makeStorage(engine)
    const database = openDatabase(storage)
    const { db } = database
    await migrate(db, Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0050')))
    const add = async (name: string, type: PixelType, delivery: PixelDelivery, deleted_at?: string) => {
      const at = '2026-11-15T12:00:00.000Z'
      const pixel_id = type === 'custom' ? null : '1'
      await db
        .insertInto('tracking_pixels')
        .values({
          id: randomUUID(),
          name,
          type,
          pixel_id,
          delivery,
          code: '',
          is_active: true,
          consent_category: 'marketing',
          allowed_hosts: '[]',
          created_at: at,
          updated_at: at,
        })
        .execute()
      if (deleted_at)
        await db.updateTable('tracking_pixels').set({ deleted_at }).where('name', '=', name).execute()
    }
    await add('both', 'meta', 'both')
    await add('browser', 'meta', 'browser')
    await add('container', 'google_tag_manager', 'browser')
    await add('deleted', 'google_analytics', 'server', '2026-11-16T12:00:00.000Z')
    await add('webhook', 'custom', 'server')
    await migrate(db)
    const rows = await db
      .selectFrom('tracking_pixels')
      .select(['name', 'destination'])
      .orderBy('name')
      .execute()
    expect(rows.map(({ name, destination }) => [name, destination])).toEqual([
      ['both', 'meta'],
      ['browser', null],
      ['container', null],
      ['deleted', 'google_analytics'],
      ['webhook', 'webhook'],
    ])
    await database.close()
    await storage.remove()
  })
})
