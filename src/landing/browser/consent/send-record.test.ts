// @vitest-environment happy-dom
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { UNSENT_RECORDS } from '#contract/consent-choice.ts'
import type { ConsentRecord } from '#contract/consent-record.ts'

/** Statuses of the server's responses, in order; then 204. */
let answers: (number | 'offline')[]
let posted: ConsentRecord[]
let page: typeof import('./send-record.ts')

const recordOf = (action: ConsentRecord['action']): ConsentRecord => ({
  record_id: randomUUID(),
  id: randomUUID(),
  action,
  categories: [],
  text_version: 3,
  tag_set_version: '',
})
const openPage = async () => {
  vi.resetModules()
  page = await import('./send-record.ts')
}
const afterAWhile = () => vi.advanceTimersByTimeAsync(60_000)

beforeEach(async () => {
  vi.useFakeTimers()
  answers = []
  posted = []
  vi.stubGlobal('fetch', async (_path: string, { body }: RequestInit) => {
    const answer = answers.shift() ?? 204
    if (answer === 'offline') throw new TypeError('Failed to fetch')
    posted.push(JSON.parse(String(body)) as ConsentRecord)
    return { status: answer }
  })
  await openPage()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  localStorage.clear()
})

test('posts a record once and keeps nothing when it is stored', async () => {
  const record = recordOf('reject')
  page.sendRecord(record)
  await afterAWhile()
  expect(posted).toEqual([record])
  expect(localStorage.getItem(UNSENT_RECORDS)).toBeNull()
})

test.each([403, 404, 408, 429, 500, 503, 'offline' as const])(
  'posts the same record again after %s',
  async (answer) => {
    answers = [answer, answer]
    const record = recordOf('accept_all')
    page.sendRecord(record)
    await vi.advanceTimersByTimeAsync(0)
    expect(localStorage.getItem(UNSENT_RECORDS)).toContain(record.record_id)
    await afterAWhile()
    expect(new Set(posted.map(({ record_id }) => record_id))).toEqual(new Set([record.record_id]))
    expect(answers).toEqual([])
    expect(localStorage.getItem(UNSENT_RECORDS)).toBeNull()
  },
)

test('gives up on a record that the server refuses for good', async () => {
  answers = [400]
  page.sendRecord(recordOf('save'))
  await afterAWhile()
  expect(posted).toHaveLength(1)
  expect(localStorage.getItem(UNSENT_RECORDS)).toBeNull()
})

test('waits longer after each failure', async () => {
  answers = Array<number>(100).fill(503)
  page.sendRecord(recordOf('save'))
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(posted.length).toBeGreaterThan(5)
  expect(posted.length).toBeLessThan(25)
})

test('sends records in the order in which they were made', async () => {
  answers = [503]
  page.sendRecord(recordOf('accept_all'))
  page.sendRecord(recordOf('revoke'))
  await afterAWhile()
  expect(posted.map(({ action }) => action)).toEqual(['accept_all', 'accept_all', 'revoke'])
})

test('the next page sends what this one could not', async () => {
  answers = Array<number>(100).fill(503)
  const record = recordOf('reject')
  page.sendRecord(record)
  await vi.advanceTimersByTimeAsync(0)
  vi.clearAllTimers()
  answers = []
  posted = []
  await openPage()
  page.sendUnsentRecords()
  await afterAWhile()
  expect(posted).toEqual([record])
})

test('without storage only this page repeats the record', async () => {
  vi.stubGlobal('localStorage', undefined)
  answers = [503]
  page.sendRecord(recordOf('reject'))
  await afterAWhile()
  expect(posted).toHaveLength(2)
  vi.unstubAllGlobals()
})

test('posts nothing when every record is stored, and survives a value that is not ours', async () => {
  page.sendUnsentRecords()
  await afterAWhile()
  expect(posted).toEqual([])
  localStorage.setItem(UNSENT_RECORDS, '"{}"')
  answers = [400]
  page.sendUnsentRecords()
  await afterAWhile()
  expect(localStorage.getItem(UNSENT_RECORDS)).toBeNull()
})
