import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DataApp, startDataApp } from '#tests/support/data-app.ts'
import { makeStorage } from '#tests/support/engines.ts'
import { openDatabase } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { ListCache } from './list-rows.ts'
import { compileListText } from './read-plan.ts'
import { asDynamic } from './resource.ts'

const list = (text: string) => ({ mark: '1', count: 1, body: Buffer.from(text) })

describe('the cache of lists', () => {
  test('keeps the newest lists, and no large ones', () => {
    const cache = new ListCache()
    cache.set('large', list('x'.repeat(300_000)))
    for (let index = 0; index < 20; index++) cache.set(`list ${index}`, list(String(index)))
    expect(cache.get('large')).toBeUndefined()
    expect(cache.get('list 0')).toBeUndefined()
    expect(cache.get('list 19')?.body.toString()).toBe('19')
    cache.set('list 19', list('y'.repeat(300_000)))
    expect(cache.get('list 19')).toBeUndefined()
  })
})

test('the change marker of SQLite follows writes of this process, of others, and of the connection', async () => {
  const storage = await makeStorage('sqlite')
  let ours = openDatabase(storage)
  await migrate(ours.db)
  const other = openDatabase(storage)
  const read = async () => {
    const nothing = asDynamic(ours.db).selectFrom('app_secrets').limit(0)
    const query = compileListText(asDynamic(ours.db), 'sqlite', {
      shape: { outputs: [], toWire: (rows) => rows },
      rows: nothing.select('name') as never,
      sizes: nothing.select('name as bytes') as never,
      maxRows: 1,
      maxBytes: 1,
    })
    if (query === null) throw new Error('not compiled')
    return (await ours.db.executeQuery(query)).rows[0]?.mark
  }
  const secret = (name: string) => ({ name, value: 'x', created_at: new Date().toISOString() })
  const marks = [await read(), await read()]
  await ours.db.insertInto('app_secrets').values(secret('a')).execute()
  marks.push(await read())
  await other.db.insertInto('app_secrets').values(secret('b')).execute()
  marks.push(await read())
  await ours.close()
  ours = openDatabase(storage)
  marks.push(await read())
  await other.close()
  await ours.close()
  await storage.remove()
  expect(marks[0]).toBe(marks[1])
  expect(new Set(marks).size).toBe(4)
})

describe('a repeated list', () => {
  let data: DataApp
  beforeAll(async () => {
    data = await startDataApp('sqlite')
  })
  afterAll(() => data.close())

  test('shows every change at once, whoever made it', async () => {
    const names = async () =>
      (await data.call({ url: '/rest/v1/tracking_pixels?select=name&order=name' }))
        .json()
        .map((row: { name: string }) => row.name)
    expect(await names()).toEqual([])
    await data.call({
      method: 'POST',
      url: '/rest/v1/tracking_pixels',
      payload: { name: 'a', type: 'custom' },
    })
    expect(await names()).toEqual(['a'])
    expect(await names()).toEqual(['a'])
    await data.database.db.updateTable('tracking_pixels').set({ name: 'b' }).execute()
    expect(await names()).toEqual(['b'])
    await data.database.db.deleteFrom('tracking_pixels').execute()
    expect(await names()).toEqual([])
  })
})
