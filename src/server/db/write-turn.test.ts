import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeDatabase } from '#tests/support/engines.ts'
import { WriteTurn } from './write-turn.ts'

test('what is sent keeps the order of the turns, however many microtasks pass', async () => {
  const turn = new WriteTurn()
  const sent: string[] = []
  const send = (what: string) => async () => void sent.push(what)
  await turn.begin(send('begin 1'))
  const waiting = [turn.write(send('write a')), turn.write(send('write b'))]
  turn.end()
  // Comes while the two that waited have not run on yet.
  const second = turn.begin(send('begin 2'))
  const late = turn.write(send('write c'))
  await Promise.all([...waiting, second])
  expect(sent).toEqual(['begin 1', 'write a', 'write b', 'begin 2'])
  turn.end()
  await late
  expect(sent.at(-1)).toBe('write c')
})

test('single writes never become a part of a transaction that begins beside them', async () => {
  const { db, close } = await makeDatabase('sqlite')
  const expires_at = '2030-01-01T00:00:00.000Z'
  const write = (key: string) => db.insertInto('rate_limits').values({ key, count: 1, expires_at }).execute()
  const undone = (key: string) =>
    db
      .transaction()
      .execute(async (trx) => {
        await trx.insertInto('rate_limits').values({ key, count: 1, expires_at }).execute()
        throw new Error('taken back')
      })
      .catch((error: Error) => error.message)
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      // Spread over turns of the loop, so that each meets the others in another state.
      for (let turn = 0; turn < n % 7; turn++) await setImmediate()
      return n % 3 === 0 ? undone(`undone ${n}`) : write(`kept ${n}`).then(() => 'kept')
    }),
  )
  const count = (answer: string) => answers.filter((each) => each === answer).length
  expect([count('kept'), count('taken back')]).toEqual([133, 67])
  const rows = await db.selectFrom('rate_limits').select('key').execute()
  expect(rows.filter(({ key }) => key.startsWith('kept'))).toHaveLength(133)
  expect(rows.filter(({ key }) => key.startsWith('undone'))).toEqual([])
  await close()
})
