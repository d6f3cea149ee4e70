import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { makeDatabase } from '#tests/support/engines.ts'
import type { Db } from '../database.ts'
import { DatabaseUnavailableError } from '../errors.ts'
import { WriteTurn } from './sqlite-driver.ts'

const never = () => {
  throw new Error('the turn was taken away')
}

test('what is sent keeps the order of the turns, however many microtasks pass', async () => {
  const turn = new WriteTurn()
  const sent: string[] = []
  const send = (what: string) => async () => void sent.push(what)
  await turn.begin(send('begin 1'), never)
  const waiting = [turn.write(send('write a')), turn.write(send('write b'))]
  turn.end()
  // Comes while the two that waited have not run on yet.
  const second = turn.begin(send('begin 2'), never)
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
      for (let turn = 0; turn < n % 7; turn++) await nextTurn()
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

describe('a turn', () => {
  test('that nobody ends is waited for no longer than allowed', async () => {
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

  test('may be long while nobody waits, and is over when somebody does', async () => {
    const turn = new WriteTurn({ turnMs: 20 })
    let expired = 0
    const expire = () => {
      expired++
      turn.end()
    }
    await turn.begin(async () => {}, expire)
    await sleep(60)
    expect(expired).toBe(0)
    await turn.write(async () => {})
    expect(expired).toBe(1)
  })
})

describe('a transaction that does not end', () => {
  const secret = (name: string) => ({ name, value: 'x', created_at: new Date().toISOString() })

  test('is rolled back after some seconds: those who wait are stored, and nothing of it is', async () => {
    const { db, close } = await makeDatabase('sqlite')
    const held = Promise.withResolvers<void>()
    const insert = (trx: Db, name: string) => trx.insertInto('app_secrets').values(secret(name)).execute()
    // Sent before the transaction, in the same message: it shares the transaction's commit.
    const before = insert(db, 'before')
    const stuck = db.transaction().execute(async (trx) => {
      await insert(trx, 'stuck')
      await held.promise
      await insert(trx, 'stuck 2')
    })
    const refused = expect(stuck).rejects.toBeInstanceOf(DatabaseUnavailableError)
    await nextTurn()
    const begun = performance.now()
    await Promise.all([
      before,
      insert(db, 'behind'),
      db.transaction().execute((trx) => insert(trx, 'behind 2')),
    ])
    expect(performance.now() - begun).toBeGreaterThan(1_000)
    held.resolve()
    await refused
    const rows = await db.selectFrom('app_secrets').select('name').where('value', '=', 'x').execute()
    expect(rows.map(({ name }) => name).sort()).toEqual(['before', 'behind', 'behind 2'])
    await close()
  })

  test('does not commit, when it ends well after all', async () => {
    const { db, close } = await makeDatabase('sqlite')
    const held = Promise.withResolvers<void>()
    const late = db.transaction().execute(async (trx) => {
      await trx.insertInto('app_secrets').values(secret('late')).execute()
      await held.promise
    })
    const refused = expect(late).rejects.toBeInstanceOf(DatabaseUnavailableError)
    await db.insertInto('app_secrets').values(secret('behind')).execute()
    held.resolve()
    await refused
    await close()
  })
})
