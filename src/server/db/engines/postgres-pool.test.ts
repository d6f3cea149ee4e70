import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { MINUTE_MS } from '#contract/durations.ts'
import { isLoggedOutage } from '../errors.ts'
import { Hosts, PatientPool } from './postgres-pool.ts'

const PROCESSES = 8

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A pool of which each new connection fails while the server is away. */
class FailingPool {
  readonly attempts: number[] = []
  readonly options = { max: 10 }
  readonly totalCount = 0
  readonly idleCount = 0
  readonly #isAway: () => boolean

  constructor(isAway: () => boolean) {
    this.#isAway = isAway
  }

  on(): void {}

  async connect(): Promise<object> {
    this.attempts.push(performance.now())
    if (this.#isAway()) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    return { release: () => {} }
  }
}

describe('while the database is away', () => {
  let isAway: boolean
  let processes: { inner: FailingPool; lines: string[]; failures: unknown[] }[]
  let timers: NodeJS.Timeout[]

  beforeEach(() => {
    isAway = true
    processes = []
    timers = []
    for (let process = 0; process < PROCESSES; process++) {
      const inner = new FailingPool(() => isAway)
      const lines: string[] = []
      const failures: unknown[] = []
      const note = (_details: object, message: string) => void lines.push(message)
      const pool = new PatientPool(inner as unknown as pg.Pool, {
        queryTimeoutMs: 1_000,
        log: { warn: note, info: note },
        hosts: new Hosts(['postgres://db/site']),
      })
      // As the regular tasks and requests of a process.
      const ask = () =>
        void pool.connect().then(
          (client) => client.release(),
          (error) => failures.push(error),
        )
      timers.push(setInterval(ask, 100))
      processes.push({ inner, lines, failures })
    }
  })
  afterEach(() => {
    for (const timer of timers) clearInterval(timer)
  })

  test('each process asks it less and less often, and fails calls at once', async () => {
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    for (const { inner, failures } of processes) {
      // 6 in the first seconds, then one in 2.5 to 5 seconds.
      expect(inner.attempts.length).toBeGreaterThan(12)
      expect(inner.attempts.length).toBeLessThan(32)
      expect(failures.length).toBeGreaterThan(580)
      expect(failures.every(isLoggedOutage)).toBe(true)
    }
  })

  test('each process writes one line at the start and one at the end', async () => {
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    const begin = 'the database cannot be reached, will retry until it can'
    expect(processes.map(({ lines }) => lines)).toEqual(Array(PROCESSES).fill([begin]))
    isAway = false
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    expect(processes.map(({ lines }) => lines)).toEqual(
      Array(PROCESSES).fill([begin, 'the database can be reached again']),
    )
  })

  test('the processes do not return at once', async () => {
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    isAway = false
    const back = performance.now()
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    const returns = processes.map(({ inner }) => inner.attempts.find((at) => at >= back) ?? 0)
    expect(Math.max(...returns) - back).toBeLessThanOrEqual(5_100)
    expect(new Set(returns.map((at) => Math.floor(at / 100))).size).toBeGreaterThan(2)
  })
})
