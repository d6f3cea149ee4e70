import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Database } from '#server/db/database.ts'
import { createLogger } from '#server/http/logging/logger.ts'
import { makeDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { KILLERS } from '#tests/support/nasty-snippets.ts'
import { COMPILER_VERSION } from '../compile/compiled-tag.ts'
import { TagCompiler } from '../compile/compiler.ts'
import { PixelReview } from '../compile/review-pixels.ts'
import { TagStore } from './tag-store.ts'
import { raiseTagsVersion, readTagsVersion } from './tag-version.ts'

const budget = { ownHosts: new Set<string>(), measureHead: () => 0 }
const script = (text: string) => `<script>${text}</script>`

describe.each(TIER_ENGINES)('what is served of what is stored, on %s', (engine) => {
  let database: Database
  const compiler = new TagCompiler()
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(async () => {
    await compiler.close()
    await database.close()
  })
  beforeEach(async () => {
    await database.db.deleteFrom('tracking_pixels').execute()
  })

  async function open(swapPage: () => Promise<void> = async () => {}): Promise<TagStore> {
    const store: TagStore = new TagStore({
      db: database.db,
      log: createLogger('silent'),
      compiler,
      ...budget,
      headers: {},
      swapPage,
    })
    await store.refresh()
    return store
  }
  const served = (store: TagStore) =>
    [...store.current.files.values()].filter((text) => !text.startsWith('export'))
  const stored = () => database.db.selectFrom('compiled_tags').selectAll().execute()
  const markAs = (compiler_version: number) =>
    database.db
      .updateTable('compiled_tags')
      .set({ compiler_version, body: bodyOf('old') })
      .execute()
  const bodyOf = (body: string) =>
    JSON.stringify({ steps: [{ kind: 'own', body, attributes: {} }], scripts: [], warnings: [] })

  test('serves stored results at start without compiling, then recompiles', async () => {
    await insertPixel(database.db, { type: 'custom', code: script('fresh') })
    const first = await open()
    expect(served(first)).toEqual([])
    await first.recompile()
    expect(served(first)).toEqual(['fresh'])
    expect(served(await open())).toEqual(['fresh'])
  })

  test("serves an older compiler's result until it is recompiled, and leaves a newer one's alone", async () => {
    await insertPixel(database.db, { type: 'custom', code: script('fresh') })
    await (await open()).recompile()
    await markAs(COMPILER_VERSION - 1)
    const upgraded = await open()
    expect(served(upgraded)).toEqual(['old'])
    await upgraded.recompile()
    expect(served(upgraded)).toEqual(['fresh'])
    expect(await stored()).toMatchObject([{ compiler_version: COMPILER_VERSION }])
    await markAs(COMPILER_VERSION + 1)
    const beside = await open()
    await beside.recompile()
    expect(served(beside)).toEqual(['old'])
    expect(await stored()).toMatchObject([{ compiler_version: COMPILER_VERSION + 1 }])
  })

  test('ignores a result that cannot be read', async () => {
    await insertPixel(database.db, { type: 'custom', code: script('fresh') })
    await (await open()).recompile()
    await database.db.updateTable('compiled_tags').set({ body: '{"steps":1}' }).execute()
    const store = await open()
    expect(served(store)).toEqual([])
    await store.recompile()
    expect(served(store)).toEqual(['fresh'])
  })

  test('recompiles code changed by SQL, and does not run the old result if it cannot', async () => {
    const id = await insertPixel(database.db, { type: 'custom', code: script('one') })
    await (await open()).recompile()
    const change = (code: string) =>
      database.db.updateTable('tracking_pixels').set({ code }).where('id', '=', id).execute()
    await change(script('two'))
    const store = await open()
    expect(served(store)).toEqual(['one'])
    await store.recompile()
    expect(served(store)).toEqual(['two'])
    await change(Object.values(KILLERS)[0] ?? '')
    const next = await open()
    await next.recompile()
    expect(served(next)).toEqual([])
    expect(next.refusalOf(id)).toMatch(/(?:complexo|demora) demais/)
  })

  test('accepts reports of a tag set as soon as a page shows it', async () => {
    await insertPixel(database.db, { type: 'custom', code: script('fresh') })
    await (await open()).recompile()
    const known: (string | null)[][] = []
    let store: TagStore | undefined
    store = await open(async () => void known.push(store?.recent.map(({ version }) => version) ?? []))
    await insertPixel(database.db, { type: 'custom', code: script('more') })
    const before = store.current.version
    await store.refresh()
    await store.recompile()
    expect(store.current.version).not.toBe(before)
    expect(known.at(-1)).toEqual([store.current.version, before])
  })

  test('shows the same after single changes as after reading everything', async () => {
    const ids: string[] = []
    for (const text of ['a', 'b', 'c', 'd']) {
      ids.push(await insertPixel(database.db, { type: 'custom', code: script(text) }))
    }
    // The changes below are noted by the review; what this one shows comes from the database alone.
    const store = await open()
    await store.recompile()
    const [a = '', b = '', c = '', d = ''] = ids
    for (const [id, change] of [
      [a, { is_active: false }],
      [a, { is_active: true }],
      [b, { consent_category: 'desempenho' as const }],
      [c, { created_at: '2020-01-01T00:00:00.000Z' }],
      [d, { code: script('e') }],
      [d, null],
    ] as const) {
      const review = new PixelReview({ compiler, ...budget })
      const write = () =>
        database.db.transaction().execute(async (trx) => {
          const row = () =>
            trx.selectFrom('tracking_pixels').selectAll().where('id', '=', id).executeTakeFirst()
          const before = (await row()) ?? null
          if (change === null) await trx.deleteFrom('tracking_pixels').where('id', '=', id).execute()
          else await trx.updateTable('tracking_pixels').set(change).where('id', '=', id).execute()
          const isDone = await review.apply(trx, [{ before, after: (await row()) ?? null }])
          if (!isDone) throw new Error('taken back')
        })
      await write().catch(async (error: Error) => {
        expect(error.message).toBe('taken back')
        await review.workOut()
        await write()
      })
      await store.refresh()
      expect(store.current).toEqual((await open()).current)
    }
    expect(served(store)).toEqual(['c', 'a', 'b'])
  })

  /** The statements of each message to the SQLite thread. */
  async function messagesOf(work: () => Promise<unknown>): Promise<string[][]> {
    const posts = vi.spyOn(Worker.prototype, 'postMessage')
    await work()
    const messages = posts.mock.calls.map(([batch]) => (batch as { sql: string }[]).map(({ sql }) => sql))
    posts.mockRestore()
    return messages
  }
  const READS_VERSION = [expect.stringContaining('"tags_version"'), expect.stringContaining('"tag_changes"')]
  const READS_PIXELS = [expect.stringContaining('"tracking_pixels"')]

  test.runIf(engine === 'sqlite')('reads a change in two messages to the SQLite thread', async () => {
    const id = await insertPixel(database.db, { type: 'custom', code: script('a') })
    const store = await open()
    await raiseTagsVersion(database.db, [id])
    expect(await messagesOf(() => store.refresh())).toEqual([READS_VERSION, READS_PIXELS])
  })

  test.runIf(engine === 'sqlite')('reads a change once that is found while it is being read', async () => {
    const id = await insertPixel(database.db, { type: 'custom', code: script('a') })
    const store = await open()
    await raiseTagsVersion(database.db, [id])
    const version = await readTagsVersion(database.db)
    expect(await messagesOf(() => Promise.all([store.refresh(), store.refreshIfNotAt(version)]))).toEqual([
      READS_VERSION,
      READS_PIXELS,
    ])
    await raiseTagsVersion(database.db, [id])
    expect(await messagesOf(() => Promise.all([store.refresh(), store.refresh()]))).toEqual([
      READS_VERSION,
      READS_PIXELS,
      READS_VERSION,
    ])
  })

  test('reads only the pixels that another process changed', async () => {
    const [first = '', second = ''] = await Promise.all(
      ['a', 'b'].map((text) => insertPixel(database.db, { type: 'custom', code: script(text) })),
    )
    const store = await open()
    await store.recompile()
    const rename = (id: string, is_active: boolean) =>
      database.db.updateTable('tracking_pixels').set({ is_active }).where('id', '=', id).execute()
    // Not noted, so nobody reads it again.
    await rename(first, false)
    await rename(second, false)
    await raiseTagsVersion(database.db, [second])
    await store.refresh()
    expect(served(store)).toEqual(['a'])
    await raiseTagsVersion(database.db)
    await store.refresh()
    expect(served(store)).toEqual([])
  })
})
