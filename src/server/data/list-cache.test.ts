import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DataApp, startDataApp } from '../../../tests/support/data-app.ts'
import { makeStorage, type Storage } from '../../../tests/support/engines.ts'
import { changeMarkReader } from '../db/change-mark.ts'
import { openDatabase } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { ListCache } from './list-cache.ts'

const list = (text: string) => ({ count: 1, body: Buffer.from(text) })

describe('the cache of lists', () => {
  test('gives a list back while nothing has changed, and never after', () => {
    const cache = new ListCache()
    expect(cache.get('a', '1')).toBeUndefined()
    cache.set('a', '1', list('one'))
    expect(cache.get('a', '1')?.body.toString()).toBe('one')
    expect(cache.get('a', '2')).toBeUndefined()
    expect(cache.get('a', '1')).toBeUndefined()
  })

  test('keeps nothing that was read under an older mark, nor where there is no mark, nor what is large', () => {
    const cache = new ListCache()
    cache.get('a', '2')
    cache.set('a', '1', list('old'))
    cache.set('b', null, list('none'))
    cache.set('c', '2', list('x'.repeat(300_000)))
    expect(['a', 'b', 'c'].map((key) => cache.get(key, '2'))).toEqual([undefined, undefined, undefined])
  })
})

describe('the mark of the embedded database', () => {
  let storage: Storage
  beforeAll(async () => {
    storage = await makeStorage('sqlite')
  })
  afterAll(() => storage.remove())

  test('changes with what this process writes, and with what another does', async () => {
    const ours = openDatabase(storage)
    await migrate(ours.db)
    const other = openDatabase(storage)
    const read = changeMarkReader(ours.db)
    const secret = (name: string) => ({ name, value: 'x', created_at: new Date().toISOString() })
    const marks = [await read(), await read()]
    await ours.db.insertInto('app_secrets').values(secret('a')).execute()
    marks.push(await read())
    await other.db.insertInto('app_secrets').values(secret('b')).execute()
    marks.push(await read())
    await other.close()
    await ours.close()
    expect(marks[0]).toBe(marks[1])
    expect(new Set(marks).size).toBe(3)
  })
})

describe('a list that was asked for before', () => {
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
