import { expect, test, vi } from 'vitest'
import { CookieJar, keptStorage } from './storage-shim.ts'

test('writes, replaces, reads and expires cookies like a document', () => {
  const changed = vi.fn()
  const jar = new CookieJar([['_old', '1', Date.now() - 1]], changed)
  jar.write('_ga=GA1.1.5; path=/; max-age=60; domain=example.com; SameSite=Lax; Secure')
  jar.write('session=a=b; expires=Thu, 01 Jan 2099 00:00:00 GMT')
  jar.write('passing=2')
  jar.write(' _ga = GA1.1.6 ; max-age=60')
  expect(jar.text).toBe('_ga=GA1.1.6; session=a=b; passing=2')
  jar.write('session=; expires=Thu, 01 Jan 1970 00:00:00 GMT')
  jar.write('_ga=x; max-age=0')
  expect(jar.text).toBe('passing=2')
  jar.write('kept=1; max-age=60')
  expect(jar.entries()).toEqual([[['kept', '1', expect.any(Number)]], [['passing', '2', null]]])
  expect(changed).toHaveBeenCalledTimes(7)
})

test('limits cookies and storage', () => {
  const jar = new CookieJar([], () => {})
  for (let cookie = 0; cookie < 200; cookie++) jar.write(`c${cookie}=${'x'.repeat(50)}`)
  expect(jar.text.split('; ')).toHaveLength(50)
  for (let cookie = 0; cookie < 50; cookie++) jar.write(`c${cookie}=${'x'.repeat(4000)}`)
  jar.write(`large=${'x'.repeat(5000)}`)
  expect(jar.text.length).toBeLessThan(7_000)
  const { storage, pairs } = keptStorage([], () => {})
  expect(() => storage.setItem('a', 'x'.repeat(10_000))).toThrow(/full/)
  expect(pairs()).toEqual([])
})

test('a storage works by methods, properties and keys', () => {
  const { storage, pairs } = keptStorage([['_k', '1']], () => {})
  storage.setItem('a', String(2))
  storage.b = '3'
  expect([storage.getItem('_k'), storage.a, storage.getItem('none'), storage.length]).toEqual([
    '1',
    '2',
    null,
    3,
  ])
  expect([Object.keys(storage), storage.key(0), 'b' in storage]).toEqual([['_k', 'a', 'b'], '_k', true])
  delete storage.b
  storage.removeItem('a')
  expect(pairs()).toEqual([['_k', '1']])
  storage.clear()
  expect(storage.length).toBe(0)
})
