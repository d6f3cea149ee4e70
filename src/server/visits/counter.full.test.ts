import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { OTHERS } from '#contract/visit-report.ts'
import { ENGINES, failOnProblem, makeStorage } from '#tests/support/engines.ts'
import { openMigratedCopy } from '#tests/support/migrated-storage.ts'
import { parseConfig } from '../config.ts'
import type { Db } from '../db/database.ts'
import { prepareDatabase } from '../secrets/encrypted-database.ts'
import { sumCounts } from '../stats/counts.ts'
import { VisitCounter } from './counter.ts'

/** `VISITORS=1000000` for a larger run. */
const VISITORS = Number(process.env.VISITORS ?? 50_000)
const CAMPAIGNS = 100_000
/** Views that are added before they are written: below what a counter keeps in memory. */
const STEP = 5_000

const AGENT = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36'
/** Noon at the site. */
const NOON = Date.parse('2026-11-17T15:00:00.000Z')

describe.each(ENGINES)('many visits, on %s', (engine) => {
  /** Two counters of one database, as two processes have. */
  async function open() {
    const storage = await makeStorage(engine, { isMigrated: true })
    const database = await openMigratedCopy(storage)
    const { db } = database
    let isDown = false
    const log = {
      warn: (details: { err?: unknown }) => {
        if (!isDown) failOnProblem(details.err)
      },
    } as never
    const breakable = new Proxy(db, {
      get(target, name: keyof Db) {
        if (isDown && name === 'transaction') throw new Error('nothing can be written')
        const value = target[name]
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const secrets = await prepareDatabase(parseConfig(storage.env), db, failOnProblem)
    const config = parseConfig({ SITE_URL: 'https://portico.example', ...storage.env })
    const counters = [1, 2].map(
      () =>
        new VisitCounter({
          config,
          db: breakable,
          secrets,
          log,
          isPage: (path) => path === '/',
          flushMs: 3_600_000,
          now: () => NOON,
        }),
    )
    onTestFinished(async () => {
      for (const counter of counters) await counter.stop()
      await database.close()
      await storage.remove()
    })
    const counts = async () => {
      const rows = await sumCounts(db, { series: 'visit', resolution: 'day', from: 0 })
      return Object.fromEntries(rows.map(({ key, count }) => [key, count]))
    }
    const setDown = (value: boolean) => {
      isDown = value
    }
    return { db, counters, counts, setDown }
  }

  test('are exact to the visitor when two counters see all of them', async () => {
    const { counters, counts } = await open()
    for (let first = 0; first < VISITORS; first += STEP) {
      for (const counter of counters)
        for (let visitor = first; visitor < Math.min(first + STEP, VISITORS); visitor++)
          view(counter, { address: addressOf(visitor) })
      await Promise.all(counters.map((counter) => counter.flush()))
    }
    const counted = await counts()
    expect(counted).toMatchObject({ views: 2 * VISITORS, visits: VISITORS, visitors: VISITORS })
    expect(counted.uncounted ?? 0).toBe(0)
  }, 1_800_000)

  test('wait in bounded memory while nothing can be written', async () => {
    const { counters, counts, setDown } = await open()
    const [counter] = counters
    if (counter === undefined) return
    view(counter, { address: addressOf(0) })
    await counter.flush()
    setDown(true)
    for (let round = 0; round < 7; round++) {
      for (let at = 0; at < 20_000; at++) click(counter)
      await counter.flush()
    }
    setDown(false)
    await counter.flush()
    await counter.flush()
    // 100,000 that were read, and 20,000 that were not.
    expect(await counts()).toMatchObject({ views: 1, 'click:lead': 120_000, uncounted: 20_000 })
  }, 1_800_000)

  test('of 100,000 invented campaigns stay within the limit, and none is lost', async () => {
    const { db, counters } = await open()
    const [counter] = counters
    for (let first = 0; first < CAMPAIGNS; first += STEP) {
      for (let at = first; at < first + STEP; at++)
        if (counter !== undefined)
          view(counter, { address: addressOf(at), query: `utm_source=x&utm_campaign=c${at.toString(36)}z` })
      await counter?.flush()
    }
    const rows = await sumCounts(db, { series: 'visit.source', resolution: 'day', from: 0 })
    const visits = rows.filter(({ key }) => key.startsWith('visits '))
    const campaigns = visits.map(({ key }) => (JSON.parse(key.slice('visits '.length)) as string[])[3])
    expect(new Set(campaigns).size).toBeLessThanOrEqual(1_000)
    expect(campaigns).toContain(OTHERS)
    expect(visits.reduce((sum, { count }) => sum + count, 0)).toBe(CAMPAIGNS)
  }, 1_800_000)
})

function addressOf(visitor: number): string {
  return `200.${(visitor >> 16) & 255}.${(visitor >> 8) & 255}.${visitor & 255}`
}

function view(
  counter: VisitCounter,
  { address, query = null }: { address: string; query?: string | null },
): void {
  const headers = { 'user-agent': AGENT, 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' }
  counter.addRequest(
    { headers, socket: { remoteAddress: address } } as unknown as IncomingMessage,
    '/',
    query,
  )
}

function click(counter: VisitCounter): void {
  counter.addCall({ headers: { 'user-agent': AGENT }, ip: addressOf(0) } as FastifyRequest, {}, 'lead')
}
