import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#server/db/database.ts'
import { createLogger } from '#server/http/logging/logger.ts'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { KILLERS } from '#tests/support/nasty-snippets.ts'
import { COMPILER_VERSION } from '../compile/compiled-tag.ts'
import { TagCompiler } from '../compile/compiler.ts'
import { PixelReview } from '../compile/review-pixels.ts'
import { TagStore } from './tag-store.ts'

const budget = { ownHosts: new Set<string>(), measureHead: () => 0 }
const script = (text: string) => `<script>${text}</script>`

describe.each(ENGINES)('what is served of what is stored, on %s', (engine) => {
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

  test('a start compiles nothing: it serves what another process stored, and then what it compiles', async () => {
    await insertPixel(database.db, { type: 'custom', code: script('fresh') })
    const first = await open()
    expect(served(first)).toEqual([])
    await first.recompile()
    expect(served(first)).toEqual(['fresh'])
    expect(served(await open())).toEqual(['fresh'])
  })

  test("an older compiler's result is served until it is made anew, a newer one's is left alone", async () => {
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

  test('a result that cannot be read counts as none', async () => {
    await insertPixel(database.db, { type: 'custom', code: script('fresh') })
    await (await open()).recompile()
    await database.db.updateTable('compiled_tags').set({ body: '{"steps":1}' }).execute()
    const store = await open()
    expect(served(store)).toEqual([])
    await store.recompile()
    expect(served(store)).toEqual(['fresh'])
  })

  test('code that another hand changed is compiled anew; what cannot be compiled does not run as what it was', async () => {
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
    expect(next.refusalOf(id)).toMatch(/complexo demais/)
  })

  test('a page that shows a set already has its reports taken for that set', async () => {
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

  test('a store that follows single changes shows what one that reads everything shows', async () => {
    const ids: string[] = []
    for (const text of ['a', 'b', 'c', 'd']) {
      ids.push(await insertPixel(database.db, { type: 'custom', code: script(text) }))
    }
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
      const review = new PixelReview({
        compiler,
        ...budget,
        noteChange: (version, changed) => store.noteChange(version, changed),
      })
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
      review.committed()
      await store.refresh()
      expect(store.current).toEqual((await open()).current)
    }
    expect(served(store)).toEqual(['c', 'a', 'b'])
  })
})
