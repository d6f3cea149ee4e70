import type { FastifyRequest } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeDatabase } from '#tests/support/engines.ts'
import type { Database } from '../db/database.ts'
import { HitCounter } from './hit-counter.ts'
import { HOURLY_CEILINGS, PUBLIC_ALLOWANCES, type PublicCall } from './limits.ts'
import { PublicLimits } from './public-limits.ts'

const HOUR = 3_600_000
const NOON = Date.parse('2026-11-15T12:00:00Z')
const CALLS = Object.keys(PUBLIC_ALLOWANCES) as PublicCall[]
let database: Database
beforeAll(async () => {
  database = await makeDatabase('sqlite')
})
afterAll(() => database.close())

function startLimits() {
  const lines: { fields: object; text: string }[] = []
  const log = {
    warn: (fields: object, text: string) => void lines.push({ fields, text }),
  } as never
  const counter = new HitCounter(database.db, log)
  return { lines, limits: new PublicLimits({ counter, log, config: { trustProxy: false } }) }
}
const from = (ip: string) => ({ ip, headers: {} }) as FastifyRequest

test.each(CALLS)('%s: one address cannot use up its network, nor one network everybody', (call) => {
  const { perAddress, perNetwork } = PUBLIC_ALLOWANCES[call]
  const ceiling = call in HOURLY_CEILINGS ? HOURLY_CEILINGS[call as keyof typeof HOURLY_CEILINGS] : undefined
  const perHour = ({ max, windowMs }: { max: number; windowMs: number }) => max * (HOUR / windowMs)
  expect(perHour(perNetwork)).toBeGreaterThan(perHour(perAddress))
  expect(ceiling === undefined || perHour(ceiling) > perHour(perNetwork)).toBe(true)
})

test.each(CALLS.filter((call) => PUBLIC_ALLOWANCES[call].perNetwork.max < 5_000))(
  '%s: each address has its allowance, and a /48 one for all of its blocks',
  (call) => {
    const { limits } = startLimits()
    const { perAddress, perNetwork } = PUBLIC_ALLOWANCES[call]
    const passed = (address: (n: number) => string, calls: number) =>
      Array.from({ length: calls }, (_, n) => limits.takeByAddress(from(address(n)), call, NOON)).filter(
        (wait) => wait === null,
      ).length
    expect(passed(() => '203.0.113.5', perAddress.max + 5)).toBe(perAddress.max)
    expect(passed(() => '203.0.113.6', 1)).toBe(1)
    expect(passed((n) => `2001:db8:1:1::${n.toString(16)}`, perAddress.max + 5)).toBe(perAddress.max)
    const rest = perNetwork.max - perAddress.max
    expect(passed((n) => `2001:db8:1:${((n % 60_000) + 2).toString(16)}::1`, rest + 5)).toBe(rest)
    expect(passed(() => '2001:db8:2:1::1', 1)).toBe(1)
  },
)

test('a ceiling is told once in the log, holds for everybody, and ends with its hour', () => {
  const { limits, lines } = startLimits()
  const { max } = HOURLY_CEILINGS.newsletter
  for (let n = 0; n < max; n++) expect(limits.reserve('newsletter', NOON)).toBeNull()
  for (let n = 0; n < 100; n++) expect(limits.reserve('newsletter', NOON + n * 1000)).toBe(3600 - n)
  expect(lines).toEqual([
    { fields: { what: 'newsletter', ceiling: max, seconds: 3600 }, text: expect.stringContaining('ceiling') },
  ])
  expect(limits.reserve('newsletter', NOON + HOUR)).toBeNull()
  expect(limits.reserve('consent', NOON)).toBeNull()
})

test('a flood is one line a minute, whatever addresses it comes from', () => {
  const { limits, lines } = startLimits()
  for (let address = 0; address < 50; address++)
    for (let n = 0; n < 20; n++) limits.takeByAddress(from(`198.51.100.${address}`), 'newsletter', NOON)
  expect(lines).toHaveLength(1)
})
