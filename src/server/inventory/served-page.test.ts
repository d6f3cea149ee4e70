import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ActiveTool } from '#contract/inventory.ts'
import { ENGINES, failOnProblem, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { noteServedPage, type ServedPage, ServedPageLog, type ServedTag } from './served-page.ts'

const A = '00000000-0000-4000-8000-00000000000a'
const B = '00000000-0000-4000-8000-00000000000b'
const at = (minute: number) => new Date(Date.UTC(2026, 10, 16, 8, minute))

function tag(pixelId: string, revision: string): ServedTag {
  return {
    pixelId,
    revision,
    type: 'custom',
    vendors: ['hotjar'],
    account: null,
    category: 'desempenho',
    sentBy: ['browser'],
    hosts: ['*.hotjar.com'],
    files: [{ kind: 'vendor', url: 'https://static.hotjar.com/c/hotjar-1.js' }],
  }
}

const tool = (name: string) => ({ name, cookies: [] }) as unknown as ActiveTool

function page(tagsVersion: number, tags: ServedTag[], rest: Partial<ServedPage> = {}): ServedPage {
  return {
    tagsVersion,
    tagSetVersion: tags.map(({ revision }) => revision).join(),
    headersHash: `h${tags.length}`,
    tools: tags.map(({ pixelId }) => tool(pixelId)),
    tags,
    ...rest,
  }
}

describe.each(ENGINES)('what the page was served with, on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    await database.db.deleteFrom('tag_periods').execute()
    await database.db.deleteFrom('served_headers').execute()
    await database.db.deleteFrom('served_state').execute()
  })
  const note = (served: ServedPage, minute: number) => noteServedPage(database.db, served, at(minute))
  const periods = () =>
    database.db
      .selectFrom('tag_periods')
      .select(['pixel_id', 'revision', 'started_at', 'ended_at'])
      .orderBy('started_at')
      .orderBy('pixel_id')
      .execute()
  const headers = () =>
    database.db
      .selectFrom('served_headers')
      .select(['headers_hash', 'is_unasked', 'since'])
      .orderBy('since')
      .execute()

  test('tags come, change and go, each with its times', async () => {
    await note(page(1, [tag(A, 'r1')]), 1)
    await note(page(2, [tag(A, 'r2'), tag(B, 'r1')]), 2)
    await note(page(3, [tag(B, 'r1')]), 3)
    expect(await periods()).toEqual([
      { pixel_id: A, revision: 'r1', started_at: at(1).toISOString(), ended_at: at(2).toISOString() },
      { pixel_id: A, revision: 'r2', started_at: at(2).toISOString(), ended_at: at(3).toISOString() },
      { pixel_id: B, revision: 'r1', started_at: at(2).toISOString(), ended_at: null },
    ])
    const stored = await database.db
      .selectFrom('tag_periods')
      .selectAll()
      .where('pixel_id', '=', B)
      .executeTakeFirstOrThrow()
    expect(stored).toMatchObject({
      vendors: ['hotjar'],
      hosts: ['*.hotjar.com'],
      told_by: ['browser'],
      files: [{ kind: 'vendor', url: 'https://static.hotjar.com/c/hotjar-1.js' }],
    })
  })

  test('the list keeps its date until it changes, and gets a new date when it returns', async () => {
    const first = await note(page(1, [tag(A, 'r1')]), 1)
    expect(first).toBe(at(1).toISOString())
    // Another start or revision of the same tool: the list is the same.
    expect(await note(page(1, [tag(A, 'r1')]), 2)).toBe(first)
    expect(await note(page(2, [tag(A, 'r2')]), 3)).toBe(first)
    expect(await note(page(3, []), 4)).toBe(at(4).toISOString())
    expect(await note(page(4, [tag(A, 'r2')]), 5)).toBe(at(5).toISOString())
  })

  test('several processes record the same page once', async () => {
    const served = page(7, [tag(A, 'r1'), tag(B, 'r1')])
    const dates = await Promise.all(Array.from({ length: 8 }, (_, index) => note(served, index)))
    expect(new Set(dates).size).toBe(1)
    expect(await periods()).toHaveLength(2)
    expect(await headers()).toHaveLength(1)
  })

  test('a process that serves what another recorded does not wait for it', async () => {
    const served = page(8, [tag(A, 'r1')])
    const date = await note(served, 1)
    // With a lock, this would wait for the end of this transaction forever; on SQLite, for its only writer.
    await database.db.transaction().execute(async (trx) => {
      await trx
        .updateTable('served_state')
        .set({ tools_since: at(2).toISOString() })
        .execute()
      if (engine === 'postgres') expect(await note(served, 3)).toBe(date)
    })
    expect(await note(served, 4)).toBe(at(2).toISOString())
    if (engine === 'sqlite') return
    // Another page than the one that is being recorded looks again until that is done.
    let later = Promise.resolve('')
    await database.db.transaction().execute(async (trx) => {
      await trx
        .updateTable('served_state')
        .set({ tools_since: at(5).toISOString() })
        .execute()
      later = note(page(9, [tag(B, 'r1')]), 6)
      await note(served, 7)
    })
    expect(await later).toBe(at(6).toISOString())
  })

  test('a process that is behind neither undoes newer records nor gets its own date', async () => {
    const newest = await note(page(5, [tag(B, 'r1')]), 1)
    expect(await note(page(4, [tag(A, 'r1')]), 2)).toBe(newest)
    expect(await periods()).toMatchObject([{ pixel_id: B, ended_at: null }])
  })

  test('marks headers that change while the tags are the same', async () => {
    await note(page(1, [tag(A, 'r1')], { headersHash: 'x' }), 1)
    await note(page(2, [tag(B, 'r2')], { headersHash: 'y' }), 2)
    await note(page(2, [tag(B, 'r2')], { headersHash: 'z' }), 3)
    await note(page(2, [tag(B, 'r2')], { headersHash: 'z' }), 4)
    expect(await headers()).toEqual([
      { headers_hash: 'x', is_unasked: false, since: at(1).toISOString() },
      { headers_hash: 'y', is_unasked: false, since: at(2).toISOString() },
      { headers_hash: 'z', is_unasked: true, since: at(3).toISOString() },
    ])
  })

  test('compares with its own last record, or with what is stored', async () => {
    const log = { warn: failOnProblem }
    const [one, other] = [new ServedPageLog(database.db, log), new ServedPageLog(database.db, log)]
    await one.note(page(1, [tag(A, 'r1'), tag(B, 'r1')]))
    await one.note(page(2, [tag(A, 'r2'), tag(B, 'r1')]))
    await other.note(page(2, [tag(A, 'r2'), tag(B, 'r1')]))
    await other.note(page(3, [tag(B, 'r1')]))
    // Its memory is outdated.
    await one.note(page(4, [tag(A, 'r2'), tag(B, 'r2')]))
    await one.note(page(4, [tag(A, 'r2'), tag(B, 'r2')]))
    await one.note(page(5, [tag(B, 'r2')]))
    const noted = await periods()
    expect(
      noted.map(({ pixel_id, revision, ended_at }) => [pixel_id, revision, ended_at === null]).sort(),
    ).toEqual([
      [A, 'r1', false],
      [A, 'r2', false],
      [A, 'r2', false],
      [B, 'r1', false],
      [B, 'r2', true],
    ])
  })

  test('records a thousand tags in steps', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) =>
      tag(`00000000-0000-4000-8000-${String(index).padStart(12, '0')}`, 'r'),
    )
    await note(page(1, many), 1)
    await note(page(2, many.slice(1)), 2)
    expect((await periods()).filter(({ ended_at }) => ended_at === null)).toHaveLength(999)
  })
})
