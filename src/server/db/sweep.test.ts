import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DAY_MS } from '#contract/durations.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { KEPT } from '#tests/support/sweep-table.ts'
import { confirmClock } from '../operations/production-gaps.ts'
import { describeClock, readClock } from './clock.ts'
import { retention } from './retention.ts'
import { runSweeps, type Sweep, sweepRegularly, sweepRows } from './sweep.ts'

const QUARTER_MS = 15 * 60_000
const AUDIT = retention(KEPT)[0] as Sweep
const ACTOR = { actor_id: null, actor: 'command line' }

describe.each(ENGINES)('sweeps on %s', (engine) => {
  let database: TestDatabase
  let app: FastifyInstance
  let lines: Record<string, unknown>[]
  let aheadMs: number
  const clock = () => Date.now() + aheadMs
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    database = await makeDatabase(engine)
    lines = []
    aheadMs = 0
    const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) })
    app = Fastify({ loggerInstance: log as FastifyBaseLogger })
    runSweeps(app, database.db, { clock })
  })
  afterEach(async () => {
    vi.useRealTimers()
    await app.close()
    await database.close()
  })

  /** One complete round: a sweep added last signals its end, or the log does. */
  async function round(): Promise<void> {
    let ran = false
    sweepRegularly(app, 'the end', async () => {
      ran = true
      return {}
    })
    vi.advanceTimersByTime(QUARTER_MS)
    await vi.waitFor(() => expect(ran || 'distrust' in (lines.at(-1) ?? {})).toBe(true), 30_000)
    lines.push({ round: 'over' })
    app.sweeps.pop()
  }
  const addEvent = (days: number) =>
    database.db
      .insertInto('audit_events')
      .values({
        id: randomUUID(),
        actor_id: null,
        actor: 'guest',
        action: 'x',
        created_at: new Date(Date.now() - days * DAY_MS).toISOString(),
      })
      .execute()
  const events = async () => (await database.db.selectFrom('audit_events').select('action').execute()).length
  const keepTwoYears = () =>
    sweepRegularly(app, AUDIT.what, async (signal) => ({
      audit_events: await sweepRows(database.db, AUDIT, signal, clock()),
    }))

  test('run repeatedly despite failures, and stop when the app is closed', async () => {
    const sweep = vi.fn(async () => {
      throw new Error('busy')
    })
    sweepRegularly(app, 'things', sweep)
    for (let times = 1; times <= 3; times++) {
      await round()
      expect(sweep).toHaveBeenCalledTimes(times)
    }
    await app.close()
    vi.advanceTimersByTime(4 * QUARTER_MS)
    expect(sweep).toHaveBeenCalledTimes(3)
  })

  test('run in a process that lives for less than the interval', async () => {
    const sweep = vi.fn(async () => ({}))
    sweepRegularly(app, 'things', sweep)
    vi.advanceTimersByTime(2 * 60_000)
    await vi.waitFor(() => expect(sweep).toHaveBeenCalledTimes(1), 30_000)
  })

  test('log what they deleted', async () => {
    await addEvent(731)
    await addEvent(729)
    keepTwoYears()
    await round()
    expect(await events()).toBe(1)
    expect(lines).toMatchObject([{ sweep: AUDIT.what, removed: { audit_events: 1 } }, { round: 'over' }])
  })

  test.each([6 * 365, 365, 4, -4])('delete nothing after a jump of %i days, and report it', async (days) => {
    await addEvent(731)
    keepTwoYears()
    await database.db
      .updateTable('site_state')
      .set({ clock_seen_at: new Date(Date.now() - days * DAY_MS).toISOString() })
      .execute()
    await round()
    expect(await events()).toBe(1)
    expect(lines).toMatchObject([{ level: 50, distrust: 'jumped' }, { round: 'over' }])
    expect(String(lines[0]?.msg)).toContain('confirm-clock')
    await round()
    expect(await events()).toBe(1)
    await confirmClock(database.db, ACTOR)
    await round()
    expect((await database.db.selectFrom('audit_events').select('action').execute()).at(0)).toEqual({
      action: 'clock.confirmed',
    })
    expect(await events()).toBe(1)
  })

  test('continue once the clock is right, and after a weekend without the server', async () => {
    await addEvent(731)
    keepTwoYears()
    if (engine === 'sqlite') {
      aheadMs = 365 * DAY_MS
      await round()
      expect(await events()).toBe(1)
      aheadMs = 0
    }
    await database.db
      .updateTable('site_state')
      .set({ clock_seen_at: new Date(Date.now() - 2.8 * DAY_MS).toISOString() })
      .execute()
    await round()
    expect(await events()).toBe(0)
  })
})

describe("compared with PostgreSQL's clock", () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await makeDatabase('postgres')
  })
  afterEach(() => database.close())
  const read = (aheadMs: number) => readClock(database.db, () => Date.now() + aheadMs)

  test.each([
    [0, null],
    [4_000, null],
    [8_000, /8 s à frente do relógio do PostgreSQL\. Sincronize/],
    [-8_000, /8 s atrás do relógio do PostgreSQL\. Sincronize/],
  ])('report a difference of %i ms from 5 s on, and continue', async (aheadMs, words) => {
    const state = await read(aheadMs)
    expect(state.distrust).toBeNull()
    const told = describeClock(state)
    if (words === null) expect(told).toBeNull()
    else expect(told).toMatchObject({ code: 'clock_differs', message: expect.stringMatching(words) })
  })

  test('stop at a difference of two hours, whatever is confirmed', async () => {
    await confirmClock(database.db, ACTOR, new Date(Date.now() + 7_200_000))
    const state = await read(7_200_000)
    expect(state.distrust).toBe('differs')
    expect(describeClock(state)?.message).toContain('nada é apagado por prazo')
  })
})
