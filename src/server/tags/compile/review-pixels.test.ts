import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { TAG_REFUSED } from '#contract/tag-status.ts'
import { type CallerName, type DataApp, startDataApp } from '#tests/support/data-app.ts'
import { ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { KILLERS } from '#tests/support/nasty-snippets.ts'
import { COMPILER_VERSION, decodeTag, hashSource, type TagSource } from './compiled-tag.ts'

const NEW_ID = '11111111-1111-4111-8111-111111111111'
const [KILLER = ''] = Object.values(KILLERS)
const custom = (code: string, more: object = {}) => ({ name: 'Tag', type: 'custom', code, ...more })

describe.each(ENGINES)('compiled results of stored pixels, on %s', (engine) => {
  let data: DataApp
  beforeAll(async () => {
    data = await startDataApp(engine)
  })
  afterAll(() => data.close())
  beforeEach(async () => {
    await data.database.db.deleteFrom('tracking_pixels').execute()
    await data.database.db.deleteFrom('audit_events').execute()
  })

  const write = (
    method: 'POST' | 'PATCH' | 'DELETE',
    query: string,
    payload?: object,
    { prefer = '', as = 'admin' as CallerName } = {},
  ) =>
    data.call({
      method,
      url: `/rest/v1/tracking_pixels${query}`,
      as,
      headers: { prefer: `return=representation,${prefer}` },
      ...(payload === undefined ? {} : { payload }),
    })
  const counts = () =>
    Promise.all(
      (['tracking_pixels', 'compiled_tags', 'audit_events'] as const).map(
        async (table) => (await data.database.db.selectFrom(table).selectAll().execute()).length,
      ),
    )

  /** Every row has a result of its own code by this compiler. */
  async function expectCompiled(rows: number): Promise<void> {
    const pixels = await data.database.db
      .selectFrom('tracking_pixels as pixel')
      .leftJoin('compiled_tags as compiled', 'compiled.pixel_id', 'pixel.id')
      .select(['type', 'pixel.pixel_id', 'code', 'source_hash', 'compiler_version', 'sources', 'body'])
      .where('pixel.deleted_at', 'is', null)
      .execute()
    expect(pixels).toHaveLength(rows)
    for (const { source_hash, compiler_version, sources, body, ...source } of pixels) {
      expect(source_hash).toBe(hashSource(source as TagSource))
      expect(compiler_version).toBe(COMPILER_VERSION)
      expect(decodeTag({ sources: String(sources), body: String(body) })).not.toBeNull()
    }
  }

  test.each<CallerName>(['admin', 'service'])('are stored by every kind of write, as %s', async (as) => {
    const one = await write('POST', '', custom('<script>var a=1</script>'), { as })
    expect(one.statusCode).toBe(201)
    const [{ id }] = one.json()
    await write('POST', '', [custom('<img src="https://a.vendor.com/p">'), custom('')], { as })
    await expectCompiled(3)
    const merged = await write('POST', '', [custom('<b>1</b>', { id }), custom('<b>2</b>', { id: NEW_ID })], {
      as,
      prefer: 'resolution=merge-duplicates',
    })
    expect(merged.statusCode).toBe(201)
    await expectCompiled(4)
    await write(
      'PATCH',
      `?id=eq.${id}`,
      { code: generateSnippet('meta', '1'), type: 'meta', pixel_id: '1' },
      { as },
    )
    await write('PATCH', '?name=eq.Tag', { name: 'Outro' }, { as })
    await write('PATCH', '?type=eq.custom', { type: 'google_analytics', pixel_id: 'G-1' }, { as })
    await expectCompiled(4)
    await write('DELETE', `?id=eq.${id}`, undefined, { as })
    await expectCompiled(3)
  })

  test.each([
    ['alone', custom(KILLER), ''],
    ['inactive', custom(KILLER, { is_active: false }), ''],
    ['in the middle of others', [custom('<b>1</b>'), custom(KILLER), custom('<b>2</b>')], ''],
    ['in place of another', custom(KILLER, { id: NEW_ID }), 'resolution=merge-duplicates'],
  ])('refuses a snippet that cannot be compiled and stores nothing: %s', async (_how, payload, prefer) => {
    if (prefer !== '') await write('POST', '', custom('<b>1</b>', { id: NEW_ID }))
    const before = await counts()
    const answer = await write('POST', '', payload, { prefer })
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({
      code: TAG_REFUSED,
      message: expect.stringMatching(/^O código (?:é complexo|demora) demais.*Nada foi salvo/),
      details: null,
      hint: null,
    })
    expect(await counts()).toEqual(before)
  })

  test.each([
    ['active', {}],
    ['inactive', { is_active: false }],
  ])('refuses a syntax error with its line: %s', async (_how, change) => {
    const code = '<script>var a</script>\n<script>\nvar b = 1\nfunction (\n</script>'
    const answer = await write('POST', '', custom(code, change))
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({
      code: TAG_REFUSED,
      message: expect.stringMatching(/^O 2º script tem um erro na linha 3.*não foi salvo/),
    })
    await write('POST', '', custom('<b>1</b>', { id: NEW_ID }))
    expect((await write('PATCH', `?id=eq.${NEW_ID}`, { code })).json()).toMatchObject({ code: TAG_REFUSED })
    await expectCompiled(1)
  })

  test('keeps the row when a change of its code is refused', async () => {
    await write('POST', '', custom('<b>1</b>', { id: NEW_ID }))
    expect((await write('PATCH', `?id=eq.${NEW_ID}`, { code: KILLER })).statusCode).toBe(400)
    const [row] = (await data.call({ url: '/rest/v1/tracking_pixels?select=code' })).json()
    expect(row).toEqual({ code: '<b>1</b>' })
    await expectCompiled(1)
  })

  test('compiles a row written by SQL when it is switched on, and refuses it if it cannot', async () => {
    const { db } = data.database
    const fine = await insertPixel(db, { type: 'meta', is_active: false })
    const killer = await insertPixel(db, { type: 'custom', code: KILLER, is_active: false })
    expect((await write('PATCH', `?id=eq.${fine}`, { is_active: true })).statusCode).toBe(200)
    expect((await write('PATCH', `?id=eq.${killer}`, { is_active: true })).json()).toMatchObject({
      code: TAG_REFUSED,
    })
    // A change that needs no compiler is never refused.
    expect((await write('PATCH', `?id=eq.${killer}`, { name: 'Ainda aqui' })).statusCode).toBe(200)
    expect((await write('DELETE', `?id=eq.${killer}`)).statusCode).toBe(200)
    await expectCompiled(1)
  })

  test('stores the result of the stored code while eight writers change one row', async () => {
    await write('POST', '', custom('<b>0</b>', { id: NEW_ID }))
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        write(
          'PATCH',
          `?id=eq.${NEW_ID}`,
          index % 2 === 0
            ? { code: `<script>var v=${index}</script>` }
            : { type: 'meta', pixel_id: String(index) },
        ),
      ),
    )
    for (const answer of answers) expect([200, 409]).toContain(answer.statusCode)
    expect(answers.filter((answer) => answer.statusCode === 200).length).toBeGreaterThan(0)
    await expectCompiled(1)
  })
})
