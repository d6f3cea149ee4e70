import type { FastifyRequest } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOUR_MS } from '#contract/durations.ts'
import { type Config, parseConfig } from '#server/config.ts'
import type { Database } from '#server/db/database.ts'
import { makeDatabase } from '#tests/support/engines.ts'
import { RateCounter } from './counter.ts'
import { CEILING_SETTINGS, HOURLY_CEILINGS, PUBLIC_CALLS, type PublicCall, type Storable } from './limits.ts'
import { PublicLimits } from './public.ts'

const NOON = Date.parse('2026-11-15T12:00:00Z')
const CALLS = Object.keys(PUBLIC_CALLS) as PublicCall[]
let database: Database
beforeAll(async () => {
  database = await makeDatabase('sqlite')
})
afterAll(() => database.close())

function startLimits(config: { perHour?: Config['perHour'] } = {}) {
  const lines: { fields: object; text: string }[] = []
  const log = {
    warn: (fields: object, text: string) => void lines.push({ fields, text }),
  } as never
  const counter = new RateCounter(database.db, log)
  const turnedAway: string[] = []
  const limits = new PublicLimits({
    counter,
    log,
    config: { trustProxy: false, ...config },
    onTurnedAway: (what) => void turnedAway.push(what),
  })
  return { lines, counter, turnedAway, limits }
}
const from = (ip: string) => ({ ip, headers: {} }) as FastifyRequest

test.each(CALLS)("%s: one address cannot use up its network's limit, nor one network everybody's", (call) => {
  const { perAddress, perNetwork } = PUBLIC_CALLS[call]
  const ceiling = call in HOURLY_CEILINGS ? HOURLY_CEILINGS[call as keyof typeof HOURLY_CEILINGS] : undefined
  const perHour = ({ max, windowMs }: { max: number; windowMs: number }) => max * (HOUR_MS / windowMs)
  expect(perHour(perNetwork)).toBeGreaterThan(perHour(perAddress))
  expect(ceiling === undefined || perHour(ceiling) > perHour(perNetwork)).toBe(true)
})

test.each(CALLS.filter((call) => PUBLIC_CALLS[call].perNetwork.max < 5_000))(
  '%s: each address has its limit, and a /48 one for all its blocks',
  (call) => {
    const { limits } = startLimits()
    const { perAddress, perNetwork } = PUBLIC_CALLS[call]
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

describe('a ceiling', () => {
  const { max, perAddress } = HOURLY_CEILINGS.newsletter
  /** Blocks of five networks, as one customer of each may use them. */
  const ofFive = (n: number) => from(`2001:db8:${(n % 5) + 1}:${Math.floor(n / 5).toString(16)}::1`)
  const waitOf = (limits: PublicLimits, request: FastifyRequest | null, now = NOON) =>
    limits.reserve('newsletter', request, now).wait

  test('is logged once, counted, and ends with its hour', () => {
    const { limits, lines, turnedAway } = startLimits()
    for (let n = 0; n < max; n++) expect(waitOf(limits, null)).toBeNull()
    for (let n = 0; n < 100; n++) expect(waitOf(limits, null, NOON + n * 1000)).toBe(3600 - n)
    expect(lines).toEqual([
      {
        fields: { what: 'newsletter', ceiling: max, seconds: 3600 },
        text: expect.stringContaining('ceiling'),
      },
    ])
    expect(turnedAway).toHaveLength(100)
    expect(waitOf(limits, null, NOON + HOUR_MS)).toBeNull()
    expect(limits.reserve('consent', null, NOON).wait).toBeNull()
  })

  test('keeps its last quarter for networks that stored almost nothing in this hour', () => {
    const { limits } = startLimits()
    const taken = Array.from({ length: max * 2 }, (_, n) => waitOf(limits, ofFive(n))).filter(
      (wait) => wait === null,
    )
    expect(taken).toHaveLength(max * 0.75)
    for (let n = 0; n < 100; n++) {
      expect(waitOf(limits, from(`203.0.${n}.5`))).toBeNull()
      expect(waitOf(limits, from(`2001:db8:${(100 + n).toString(16)}::1`))).toBeNull()
    }
    expect(waitOf(limits, ofFive(0))).toBe(3600)
    for (let n = 0; n < max; n++) waitOf(limits, from(`198.51.${n % 200}.${n % 250}`))
    expect(waitOf(limits, from('192.0.2.1'))).toBe(3600)
  })

  test('limits one address to its share, without a log line about the ceiling', () => {
    const { limits, turnedAway } = startLimits()
    const taken = Array.from({ length: perAddress + 50 }, () => waitOf(limits, from('203.0.113.5')))
    expect(taken.filter((wait) => wait === null)).toHaveLength(perAddress)
    expect(waitOf(limits, from('203.0.113.6'))).toBeNull()
    expect(turnedAway).toEqual([])
  })

  test('gives back what was not stored', async () => {
    const { limits, counter } = startLimits()
    const request = from('203.0.113.5')
    const refused = () => 'refused' as const
    const failing = () => Promise.reject(new Error('the database is unavailable'))
    for (let n = 0; n < perAddress * 3; n++)
      await expect(limits.storeWithin('newsletter', request, failing, refused)).rejects.toThrow('unavailable')
    const unchanged = async (giveBack: () => void) => giveBack()
    for (let n = 0; n < perAddress * 3; n++)
      expect(await limits.storeWithin('newsletter', request, unchanged, refused)).toBeUndefined()
    await counter.flush()
    const stored = async () => 'stored' as const
    const answers = []
    for (let n = 0; n < perAddress + 5; n++)
      answers.push(await limits.storeWithin('newsletter', request, stored, refused))
    expect(answers.filter((answer) => answer === 'stored')).toHaveLength(perAddress)
    await counter.flush()
    const rows = await database.db.selectFrom('rate_windows').selectAll().execute()
    expect(rows.filter(({ count }) => count < 0)).toEqual([])
    expect(rows.find(({ key }) => key === 'newsletter:everybody')?.count).toBe(perAddress)
  })

  test.each(Object.entries(CEILING_SETTINGS) as [Storable, string][])(
    'of %s is set by %s',
    (what, setting) => {
      const { limits } = startLimits(parseConfig({ [setting]: '1000' }))
      const taken = Array.from({ length: 1_200 }, () => limits.reserve(what, null, NOON).wait)
      expect(taken.filter((wait) => wait === null)).toHaveLength(1_000)
      expect(parseConfig({}).perHour[what as keyof Config['perHour']]).toBe(HOURLY_CEILINGS[what].max)
    },
  )
})

test('logs a flood once a minute, whatever its addresses', () => {
  const { limits, lines } = startLimits()
  for (let address = 0; address < 50; address++)
    for (let n = 0; n < 20; n++) limits.takeByAddress(from(`198.51.100.${address}`), 'newsletter', NOON)
  expect(lines).toHaveLength(1)
})
