import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { type DataApp, startDataApp } from '#tests/support/data-app.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'

const META = { name: 'Meta', type: 'meta', pixel_id: '123' }

describe.each(TIER_ENGINES)('rules for pixels, on %s', (engine) => {
  let data: DataApp
  beforeAll(async () => {
    data = await startDataApp(engine)
  })
  afterAll(() => data.close())
  beforeEach(async () => {
    await data.database.db.deleteFrom('tracking_pixels').execute()
  })

  const insert = (payload: object, headers: Record<string, string> = {}) =>
    data.call({ method: 'POST', url: '/rest/v1/tracking_pixels', payload, headers })
  const all = async () => (await data.call({ url: '/rest/v1/tracking_pixels' })).json()

  test.each([
    ['no name', { type: 'custom' }, '23502', 'name'],
    ['a blank name', { name: ' ', type: 'custom' }, '23514', 'tracking_pixels_name_check'],
    ['a name too long', { name: 'x'.repeat(201), type: 'custom' }, '23514', 'tracking_pixels_name_check'],
    ['no ID', { name: 'x', type: 'meta' }, '23514', 'tracking_pixels_pixel_id_check'],
    ['an empty ID', { ...META, pixel_id: '' }, '23514', 'tracking_pixels_pixel_id_check'],
    ['an ID that could leave a string', { ...META, pixel_id: "1');alert(1" }, '23514', 'pixel_id_check'],
    ['an ID too long', { ...META, pixel_id: '1'.repeat(65) }, '23514', 'pixel_id_check'],
    ['an ID on a custom pixel', { ...META, type: 'custom' }, '23514', 'pixel_id_check'],
    [
      'code over 100 KB in bytes',
      { ...META, code: 'ç'.repeat(50_001) },
      '23514',
      'tracking_pixels_code_check',
    ],
    ['a null switch', { ...META, is_active: null }, '23502', 'is_active'],
    ['a bad switch', { ...META, is_active: 'perhaps' }, '22P02', 'boolean'],
    ['a bad key', { ...META, id: 'x' }, '22P02', 'uuid'],
    ['hosts that are not a list', { ...META, allowed_hosts: 'a.example' }, '23514', 'allowed_hosts_check'],
    [
      'a host with a scheme',
      { ...META, allowed_hosts: ['https://a.example'] },
      '23514',
      'allowed_hosts_check',
    ],
    ['a wildcard host', { ...META, allowed_hosts: ['*.example'] }, '23514', 'allowed_hosts_check'],
    [
      'a policy in a host',
      { ...META, allowed_hosts: ["a.example; script-src 'unsafe-inline'"] },
      '23514',
      'hosts',
    ],
    ['an address', { ...META, allowed_hosts: ['10.0.0.1'] }, '23514', 'allowed_hosts_check'],
    ['an unknown category', { ...META, consent_category: 'tudo' }, '23514', 'consent_category_check'],
    [
      'a tag that calls itself essential',
      { ...META, consent_category: 'essenciais' },
      '23514',
      'consent_category_check',
    ],
    ['labels that are a list', { ...META, conversion_labels: [] }, '23514', 'conversion_labels_check'],
    [
      'a label of an unknown conversion',
      { ...META, conversion_labels: { purchase: 'a' } },
      '23514',
      'conversion_labels_check',
    ],
    [
      'a label that could leave a string',
      { ...META, conversion_labels: { lead: "a'" } },
      '23514',
      'conversion_labels_check',
    ],
    ['an unknown column', { ...META, nope: 1 }, 'PGRST204', "Could not find the 'nope' column"],
    ['a row that is a list', [[META]], 'PGRST102', 'Empty or invalid json'],
    ['a row that is text', ['x'], 'PGRST102', 'Empty or invalid json'],
    ['rows of different keys', [META, { name: 'x' }], 'PGRST102', 'All object keys must match'],
    ['half of a surrogate pair', { ...META, name: '\ud800' }, '22P02', 'json'],
  ])('refuses %s', async (_what, payload, code, message) => {
    const answer = await insert(payload)
    expect(answer.statusCode, answer.body).toBe(400)
    expect(answer.json()).toMatchObject({ code, message: expect.stringContaining(message) })
    expect(await all()).toEqual([])
  })

  test('sets the vendor from type or code, whatever a client sends', async () => {
    const written = async (payload: object) =>
      (await insert({ ...payload, vendor: 'hotjar' }, { prefer: 'return=representation' })).json()[0]
    expect(await written(META)).toMatchObject({ vendor: 'meta-pixel', conversion_labels: {} })
    const code = '<script>clarity(); load("https://www.clarity.ms/tag/abcdefghij")</script>'
    const row = await written({ name: 'x', type: 'custom', code, conversion_labels: { lead: 'a/b_c-1' } })
    expect(row).toMatchObject({ vendor: 'microsoft-clarity', conversion_labels: { lead: 'a/b_c-1' } })
    const url = `/rest/v1/tracking_pixels?id=eq.${row.id}`
    await data.call({ method: 'PATCH', url, payload: { code: '<script>1</script>', vendor: 'x' } })
    expect((await data.call({ url })).json()).toMatchObject([{ vendor: null }])
  })

  test.each([
    ['no code', {}, generateSnippet('meta', '123')],
    ['empty code', { code: '' }, ''],
    ['code of null', { code: null }, ''],
    ['code of its own', { code: '<b>1</b>' }, '<b>1</b>'],
    ['no code and no ID', { type: 'custom', pixel_id: null }, ''],
  ])('a new pixel with %s', async (_what, change, code) => {
    const answer = await insert({ ...META, ...change }, { prefer: 'return=representation' })
    expect(answer.statusCode, answer.body).toBe(201)
    expect(answer.json()[0].code).toBe(code)
  })

  test('an upsert without code keeps the stored code', async () => {
    const id = '00000000-0000-4000-8000-000000000001'
    await insert({ ...META, id, code: '<b>1</b>' })
    await insert({ ...META, id }, { prefer: 'resolution=merge-duplicates' })
    expect(await all()).toMatchObject([{ code: '<b>1</b>' }])
  })

  test('measures names and reasons in characters', async () => {
    const name = '🚪'.repeat(200)
    expect((await insert({ ...META, name })).statusCode).toBe(201)
    expect((await insert({ ...META, name: `${name}🚪` })).json()).toMatchObject({ code: '23514' })
  })

  test('accepts what forms and old scripts send', async () => {
    const rows = [
      {
        name: 'a',
        type: 'custom',
        pixel_id: '',
        code: null,
        is_active: 'on',
        allowed_hosts: [' A.Example.com '],
      },
      { name: 'b', type: 'meta', pixel_id: 123, code: '', is_active: 0, allowed_hosts: [] },
    ]
    const answer = await insert(rows, { prefer: 'return=representation' })
    expect(answer.json()).toMatchObject([
      { pixel_id: null, code: '', is_active: true, allowed_hosts: ['a.example.com'] },
      { pixel_id: '123', is_active: false },
    ])
  })
})
