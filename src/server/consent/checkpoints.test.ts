import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { MINUTE_MS } from '#contract/durations.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import type { Db } from '../db/database.ts'
import {
  addToCheckpoint,
  appendLeaves,
  listCheckpoints,
  readCheckpointState,
  takeTurn,
} from './checkpoints.ts'
import { summarizeConsent } from './choice-counts.ts'
import { canonicalJson, checkpointHash } from './proof/canonical.ts'
import { lockTree, TreeReader } from './proof/merkle-store.ts'
import { GrowingTree, hashLeaf, isConsistent, rootOfInclusion } from './proof/merkle-tree.ts'
import { consentCode, findRecordsByCode } from './records.ts'

const AT = Date.parse('2026-11-16T03:00:30.000Z')

describe.each(ENGINES)('on %s', (engine) => {
  let database: TestDatabase
  afterEach(() => database.close())

  async function open(): Promise<Db> {
    database = await makeDatabase(engine)
    return database.db
  }

  const choice = (at: number, more: object = {}) => ({
    id: randomUUID(),
    consent_id: randomUUID(),
    action: 'accept_all',
    categories: '["desempenho","funcionalidade","marketing"]',
    text_version: 1,
    tag_set_version: 'v',
    created_at: new Date(at).toISOString(),
    schema_version: 1,
    notice_hash: 'n',
    parties_hash: 'p',
    retention_days: 1826,
    ...more,
  })

  test('chains checkpoints over all leaves and proves every record', async () => {
    const db = await open()
    const records = Array.from({ length: 700 }, (_, at) => choice(AT + at))
    for (let at = 0; at < records.length; at += 100)
      await db
        .insertInto('consent_records')
        .values(records.slice(at, at + 100))
        .execute()
    const first = await addToCheckpoint(db, { now: AT + MINUTE_MS })
    const late = [
      choice(AT - MINUTE_MS, { action: 'reject', categories: '[]', text_version: 77, notice_hash: null }),
      choice(AT + 65_000, { action: 'save', categories: '["desempenho","marketing"]' }),
    ]
    await db.insertInto('consent_records').values(late).execute()
    expect(await readCheckpointState(db)).toMatchObject({
      waiting: 2,
      oldest_waiting_at: late[0]?.created_at,
    })
    expect(await findRecordsByCode(db, late[1]?.consent_id ?? '')).toMatchObject([{ leaf: null }])
    const second = await addToCheckpoint(db, { now: AT + 2 * MINUTE_MS })
    if (first === null || second === null) throw new Error('no checkpoint was made')
    expect(first).toMatchObject({ sequence: 1, leaf_count: 700, tree_size: 700, previous_hash: null })
    expect(second).toMatchObject({
      sequence: 2,
      leaf_count: 2,
      tree_size: 702,
      previous_hash: first.hash,
      first_record_at: late[0]?.created_at,
      last_record_at: late[1]?.created_at,
    })
    const checkpoints = await listCheckpoints(db, { limit: 10 })
    expect(checkpoints).toEqual([second, first])
    for (const checkpoint of checkpoints) expect(checkpointHash(checkpoint)).toBe(checkpoint.hash)
    expect(await listCheckpoints(db, { before: 2, limit: 10 })).toEqual([first])

    const leaves = await db.selectFrom('consent_leaves').selectAll().orderBy('position').execute()
    expect(leaves.map(({ position }) => position)).toEqual(leaves.map((_, at) => at))
    const tree = new GrowingTree()
    const roots = leaves.map(({ hash }) => {
      tree.add(hash)
      return tree.root
    })
    expect(roots[699]).toBe(first.root)
    expect(roots[701]).toBe(second.root)

    const reader = new TreeReader(db)
    for (const position of [0, 255, 256, 511, 699, 701]) {
      const hashes = await reader.proveInclusion(position, 702)
      const leaf = leaves[position]?.hash ?? ''
      expect(rootOfInclusion({ leaf, position, size: 702, hashes })).toBe(second.root)
    }
    const [older, newer] = [first, second].map(({ tree_size: size, root }) => ({ size, root }))
    if (older === undefined || newer === undefined) throw new Error()
    expect(isConsistent(older, newer, await reader.proveConsistency(700, 702))).toBe(true)
    expect(new GrowingTree(700, await reader.frontier(700)).root).toBe(first.root)

    const wanted = records[300]
    const found = await findRecordsByCode(db, consentCode(wanted?.consent_id ?? '').toLowerCase())
    expect(found).toHaveLength(1)
    expect(found?.[0]?.record.record_id).toBe(wanted?.id)
    expect(found?.[0]?.leaf).toMatchObject({ seal: 1, hash: hashLeaf(canonicalJson(found?.[0]?.record)) })
    expect(await findRecordsByCode(db, 'marketing')).toBeNull()
    expect(await findRecordsByCode(db, 'FFFFFFFF-FFFF')).toEqual([])

    // 03:00 UTC is midnight in Brasília.
    expect(await summarizeConsent(db, { from: '2026-11-15', to: '2026-11-16' })).toEqual([
      { day: '2026-11-15', text_version: 0, action: 'reject', choice: 'refused', count: 1 },
      { day: '2026-11-16', text_version: 1, action: 'accept_all', choice: 'accepted', count: 700 },
      { day: '2026-11-16', text_version: 1, action: 'save', choice: 'partial', count: 1 },
    ])
    expect(await readCheckpointState(db)).toEqual({ last: second, waiting: 0, oldest_waiting_at: null })
  })

  test('makes one checkpoint per minute, also after the clock was set back', async () => {
    const db = await open()
    const checkpoint = async (now: number) => {
      await db.insertInto('consent_records').values(choice(now)).execute()
      return await addToCheckpoint(db, { now })
    }
    expect(await addToCheckpoint(db, { now: AT })).toBeNull()
    expect(await checkpoint(AT)).toMatchObject({ sequence: 1, sealed_at: new Date(AT).toISOString() })
    expect(await checkpoint(AT + 1)).toBeNull()
    expect(await checkpoint(AT + MINUTE_MS)).toMatchObject({ sequence: 2, leaf_count: 2 })
    expect(await checkpoint(AT - MINUTE_MS)).toMatchObject({
      sequence: 3,
      sealed_at: new Date(AT + MINUTE_MS).toISOString(),
    })
  })

  test('makes one chain when several processes run at once', async () => {
    const db = await open()
    const batches = Array.from({ length: 6 }, () => Array.from({ length: 50 }, (_, at) => choice(AT + at)))
    await Promise.all(
      batches.flatMap((batch) => [
        db.insertInto('consent_records').values(batch).execute(),
        appendLeaves(db, 20),
        addToCheckpoint(db, { now: AT }),
      ]),
    )
    await addToCheckpoint(db, { now: AT + MINUTE_MS })
    const positions = await db
      .selectFrom('consent_records')
      .select('leaf_position')
      .orderBy('leaf_position')
      .execute()
    expect(positions.map(({ leaf_position }) => leaf_position)).toEqual(
      Array.from({ length: 300 }, (_, at) => at),
    )
    const checkpoints = await listCheckpoints(db, { limit: 10 })
    expect(checkpoints[0]?.tree_size).toBe(300)
    expect(checkpoints.reduce((sum, { leaf_count }) => sum + leaf_count, 0)).toBe(300)
    expect(checkpoints.map(({ previous_hash }) => previous_hash)).toEqual([
      ...checkpoints.slice(1).map(({ hash }) => hash),
      null,
    ])
    const counted = await summarizeConsent(db, { from: '2026-11-01', to: '2026-11-30' })
    expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(300)
  })

  test('one process takes the turn of a minute, and the others leave it alone', async () => {
    const db = await open()
    expect(await takeTurn(db, { now: AT })).toBeNull()
    await db.insertInto('consent_records').values(choice(AT)).execute()
    if (engine === 'postgres')
      await db.transaction().execute(async (trx) => {
        await lockTree(trx)
        // Waiting for the lock would never end.
        expect(await takeTurn(db, { now: AT })).toBeNull()
      })
    expect(await takeTurn(db, { now: AT })).toMatchObject({ sequence: 1, leaf_count: 1 })
    await db
      .insertInto('consent_records')
      .values(choice(AT + 1))
      .execute()
    // This minute has its checkpoint: not even a leaf is added.
    expect(await takeTurn(db, { now: AT + 2 })).toBeNull()
    expect(await readCheckpointState(db)).toMatchObject({ waiting: 1 })
    expect(await takeTurn(db, { now: AT + MINUTE_MS })).toMatchObject({ sequence: 2, leaf_count: 1 })
    // Leaves that were added without a checkpoint get one.
    await db.insertInto('consent_records').values(choice(AT)).execute()
    await appendLeaves(db)
    expect(await takeTurn(db, { now: AT + 2 * MINUTE_MS })).toMatchObject({ sequence: 3 })
    expect(await takeTurn(db, { now: AT + 3 * MINUTE_MS })).toBeNull()
  })

  test('has leaves beyond the integers of 32 bits', async () => {
    const db = await open()
    const size = 2 ** 32
    await db.updateTable('consent_tree').set({ size }).execute()
    await db.insertInto('consent_records').values(choice(AT)).execute()
    expect(await appendLeaves(db)).toBe(1)
    const leaf = await db.selectFrom('consent_records').select('leaf_position').executeTakeFirstOrThrow()
    expect(leaf.leaf_position).toBe(size)
  })
})
