import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { makeDatabase } from '#tests/support/engines.ts'
import { DatabaseUnavailableError } from '../errors.ts'
import { WriteTurn } from './sqlite-driver.ts'

const never = {
  expire: () => {
    throw new Error('the turn expired')
  },
  idleMs: () => 0,
}

test('keeps the order of turns, however many microtasks pass', async () => {
  const turn = new WriteTurn()
  const sent: string[] = []
  const send = (what: string) => async () => void sent.push(what)
  await turn.begin(send('begin 1'), never)
  const waiting = [turn.write(send('write a')), turn.write(send('write b'))]
  turn.end()
  // Arrives while the two that waited have not continued yet.
  const second = turn.begin(send('begin 2'), never)
  const late = turn.write(send('write c'))
  await Promise.all([...waiting, second])
  expect(sent).toEqual(['begin 1', 'write a', 'write b', 'begin 2'])
  turn.end()
  await late
  expect(sent.at(-1)).toBe('write c')
})

test('single writes never join a transaction that begins beside them', async () => {
  const { db, close } = await makeDatabase('sqlite')
  const expires_at = '2030-01-01T00:00:00.000Z'
  const write = (key: string) => db.insertInto('rate_limits').values({ key, count: 1, expires_at }).execute()
  const undone = (key: string) =>
    db
      .transaction()
      .execute(async (trx) => {
        await trx.insertInto('rate_limits').values({ key, count: 1, expires_at }).execute()
        throw new Error('rolled back')
      })
      .catch((error: Error) => error.message)
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      // Spread over turns of the loop, so that each finds the others in a different state.
      for (let turn = 0; turn < n % 7; turn++) await nextTurn()
      return n % 3 === 0 ? undone(`undone ${n}`) : write(`kept ${n}`).then(() => 'kept')
    }),
  )
  const count = (answer: string) => answers.filter((each) => each === answer).length
  expect([count('kept'), count('rolled back')]).toEqual([133, 67])
  const rows = await db.selectFrom('rate_limits').select('key').execute()
  expect(rows.filter(({ key }) => key.startsWith('kept'))).toHaveLength(133)
  expect(rows.filter(({ key }) => key.startsWith('undone'))).toEqual([])
  await close()
})

describe('a turn', () => {
  test('is waited for no longer than allowed', async () => {
    const turn = new WriteTurn({ waitMs: 20 })
    await turn.begin(async () => {}, never)
    const sent: string[] = []
    const waiting = [
      turn.write(async () => void sent.push('write')),
      turn.begin(async () => void sent.push('begin'), never),
    ]
    for (const each of waiting) await expect(each).rejects.toBeInstanceOf(DatabaseUnavailableError)
    turn.end()
    await turn.write(async () => void sent.push('later'))
    expect(sent).toEqual(['later'])
  })

  test('may be long while nobody waits, and expires when somebody does', async () => {
    const turn = new WriteTurn({ turnMs: 20 })
    let expired = 0
    const expire = () => {
      expired++
      turn.end()
    }
    await turn.begin(async () => {}, { expire, idleMs: () => 0 })
    await sleep(60)
    expect(expired).toBe(0)
    await turn.write(async () => {})
    expect(expired).toBe(1)
  })

  test('of a transaction that sends nothing is over although nobody waits', async () => {
    const turn = new WriteTurn({ turnMs: 1, idleMs: 20 })
    const begun = performance.now()
    const expired = Promise.withResolvers<string>()
    const idleMs = () => performance.now() - begun
    await turn.begin(async () => {}, { expire: expired.resolve, idleMs })
    expect(await expired.promise).toBe('it sent nothing for too long')
    expect(idleMs()).toBeGreaterThanOrEqual(20)
    turn.end()
  })
})
