import { expect, test } from 'vitest'
import { HASH_QUEUE } from '#server/http/limits/limits.ts'
import { QUICK_WORK } from '#tests/support/quick-work.ts'
import { PasswordHasher, seatOf } from './passwords.ts'

const { atOnce, waiting } = HASH_QUEUE

/** Requests this many hashes at once; records the order in which they finish and how many are refused. */
function ask(passwords: PasswordHasher, done: string[], name: string, address: string, isKnown = false) {
  return passwords
    .verify(null, 'errada', seatOf(address, isKnown))
    .then(() => done.push(name))
    .catch((error) => {
      expect(error).toMatchObject({ status: 429, headers: { 'retry-after': '5' } })
      done.push(`${name} refused`)
    })
}
const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
const count = (done: string[], name: string) => done.filter((each) => each === name).length

test('a flood from one address gives up its last places to other addresses', async () => {
  const passwords = new PasswordHasher(QUICK_WORK.hashCost)
  const done: string[] = []
  const flood = times(100, () => ask(passwords, done, 'flood', '203.0.113.1'))
  const others = times(20, (n) => ask(passwords, done, 'other', `198.51.100.${n}`))
  await Promise.all([...flood, ...others])
  expect(count(done, 'other')).toBe(20)
  expect(count(done, 'flood')).toBe(atOnce + waiting.unknown - 20)
  // In turn: the flood was served about as often as each of the others before the last of them.
  expect(done.slice(0, done.lastIndexOf('other')).filter((name) => name === 'flood').length).toBeLessThan(10)
})

test('counts the networks of one IPv6 customer as one', async () => {
  const passwords = new PasswordHasher(QUICK_WORK.hashCost)
  const done: string[] = []
  const flood = times(100, (n) => ask(passwords, done, 'flood', `2001:db8:48:${n}::1`))
  const other = ask(passwords, done, 'other', '2001:db8:49::1')
  await Promise.all([...flood, other])
  expect(count(done, 'other')).toBe(1)
})

test('keeps places for known browsers free in a flood from many addresses', async () => {
  const passwords = new PasswordHasher(QUICK_WORK.hashCost)
  const done: string[] = []
  const flood = times(100, (n) => ask(passwords, done, 'flood', `203.0.113.${n}`))
  const stranger = ask(passwords, done, 'stranger', '192.0.2.1')
  const known = times(5, (n) => ask(passwords, done, 'known', `192.0.2.${n}`, true))
  await Promise.all([...flood, stranger, ...known])
  expect(count(done, 'known')).toBe(5)
  expect(count(done, 'stranger refused')).toBe(1)
  expect(done.filter((name) => !name.endsWith('refused')).lastIndexOf('known')).toBeLessThan(20)
})

test('serves strangers while known browsers wait', async () => {
  const passwords = new PasswordHasher(QUICK_WORK.hashCost)
  const done: string[] = []
  const known = times(30, (n) => ask(passwords, done, 'known', `192.0.2.${n}`, true))
  const stranger = ask(passwords, done, 'stranger', '203.0.113.1')
  await Promise.all([...known, stranger])
  expect(done.indexOf('stranger')).toBeLessThan(10)
})

test('verifies a hash of another cost and reports it as foreign', async () => {
  const quick = new PasswordHasher(QUICK_WORK.hashCost)
  const own = await quick.hash('janela-verde-oceano-41')
  const costly = await new PasswordHasher().hash('janela-verde-oceano-41')
  expect(await quick.verify(costly, 'janela-verde-oceano-41')).toBe(true)
  expect([own, costly].map((stored) => quick.isForeign(stored))).toEqual([false, true])
})
