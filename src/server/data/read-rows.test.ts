import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blankPixel } from '#tests/support/blank-pixel.ts'
import { type DataApp, startDataApp } from '#tests/support/data-app.ts'
import { ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'

const ids = [1, 2, 3, 4, 5].map((n) => `00000000-0000-4000-8000-00000000000${n}`)
const [first] = ids

/** Five pixels that differ in everything that a query can use. */
const PIXELS = [
  { name: 'Ação de Graças', type: 'meta', pixel_id: '111', is_active: true, code: '<b>"1"</b>' },
  { name: 'ação menor', type: 'google_analytics', pixel_id: 'G-2', is_active: false, code: 'a,b' },
  { name: 'Beta_*?[x]', type: 'google_tag_manager', pixel_id: 'GTM-3', is_active: true, code: '' },
  { name: 'custom, one', type: 'custom', pixel_id: null, is_active: false, code: 'null' },
  { name: 'zeta (50%)', type: 'custom', pixel_id: null, is_active: true, code: 'line\nline' },
].map((pixel, index) => ({
  id: ids[index],
  ...pixel,
  created_at: `2026-11-0${index + 1}T00:00:00.${index}00Z`,
}))

/** The query, and the expected pixels by number and in order. */
const QUESTIONS: [string, number[]][] = [
  ['', [1, 2, 3, 4, 5]],
  ['order=created_at.desc', [5, 4, 3, 2, 1]],
  ['order=name', [1, 3, 2, 4, 5]],
  ['order=pixel_id.asc', [1, 2, 3, 4, 5]],
  ['order=pixel_id.desc', [4, 5, 3, 2, 1]],
  ['order=pixel_id.desc.nullslast', [3, 2, 1, 4, 5]],
  ['order=pixel_id.nullsfirst', [4, 5, 1, 2, 3]],
  ['order=is_active.desc,created_at.desc', [5, 3, 1, 4, 2]],
  [`id=eq.${first}`, [1]],
  [`id=eq.${first?.toUpperCase()}`, [1]],
  ['id=neq.00000000-0000-4000-8000-000000000001', [2, 3, 4, 5]],
  ['type=eq.custom&is_active=eq.true', [5]],
  ['is_active=is.true', [1, 3, 5]],
  ['is_active=not.is.true', [2, 4]],
  ['is_active=is.unknown', []],
  ['pixel_id=is.null', [4, 5]],
  ['pixel_id=is.not_null', [1, 2, 3]],
  ['pixel_id=not.is.null', [1, 2, 3]],
  ['pixel_id=eq.null', []],
  ['code=eq.null', [4]],
  ['pixel_id=neq.111', [2, 3]],
  ['pixel_id=not.eq.111', [2, 3]],
  ['pixel_id=isdistinct.111', [2, 3, 4, 5]],
  ['created_at=gt.2026-11-04', [4, 5]],
  ['created_at=gte.2026-11-04T00:00:00.3Z', [4, 5]],
  ['created_at=lt.2026-11-02T00:00:00.1%2B00:00', [1]],
  ['created_at=eq.2026-11-01T21:00:00.1-03', [2]],
  ['name=gt.b', [4, 5]],
  ['name=like.A*', [1]],
  ['name=like.a*', [2]],
  ['name=ilike.AÇÃO*', [1, 2]],
  ['name=ilike.*GRAÇAS', [1]],
  ['name=like.*\\**', [5]],
  ['name=like.____\\_*', [3]],
  ['name=like.*[x]', [3]],
  ['name=like.*?*', [3]],
  ['name=like.*\\%25*', [5]],
  ['name=not.ilike.*a*', [4]],
  ['code=ilike.*LINE', [5]],
  ['name=in.("custom, one","zeta (50%25)",nope)', [4, 5]],
  ['type=in.(meta,custom)', [1, 4, 5]],
  ['type=not.in.(meta,custom)', [2, 3]],
  ['type=in.()', []],
  ['or=(type.eq.meta,type.eq.custom)', [1, 4, 5]],
  ['or=(type.eq.meta,and(type.eq.custom,is_active.is.true))', [1, 5]],
  ['and=(is_active.is.true,not.or(type.eq.meta,type.eq.custom))', [3]],
  ['not.or=(type.eq.meta,pixel_id.is.null)', [2, 3]],
  ['not.and=(is_active.is.true,pixel_id.is.null)', [1, 2, 3, 4]],
  ['or=(name.eq."custom, one",name.not.like.*t*)', [1, 2, 4]],
  ['or=(id.in.(00000000-0000-4000-8000-000000000001),type.eq.google_analytics)', [1, 2]],
  ['limit=2&order=created_at.desc', [5, 4]],
  ['limit=2&offset=3', [4, 5]],
  ['offset=9', []],
  ['limit=0', []],
]

describe.each(ENGINES)('lists on %s', (engine) => {
  let data: DataApp
  beforeAll(async () => {
    data = await startDataApp(engine)
    const made = await data.call({ method: 'POST', url: '/rest/v1/tracking_pixels', payload: PIXELS })
    expect(made.statusCode, made.body).toBe(201)
  })
  afterAll(() => data.close())

  const get = (search: string, headers: Record<string, string> = {}) =>
    data.call({ url: `/rest/v1/tracking_pixels?${search}`, headers })

  test.each(QUESTIONS)('%s', async (search, expected) => {
    const answer = await get(search)
    expect(answer.statusCode, answer.body).toBe(200)
    expect(answer.json().map((row: { id: string }) => ids.indexOf(row.id) + 1)).toEqual(expected)
    expect(answer.headers['content-range']).toBe(
      expected.length === 0 ? '*/*' : `${/offset=3/.test(search) ? '3-4' : `0-${expected.length - 1}`}/*`,
    )
  })

  test("returns whole rows, with times in PostgreSQL's format", async () => {
    const [row, second] = (await get('')).json()
    expect(row).toEqual({
      ...blankPixel(),
      ...PIXELS[0],
      consent_category: 'marketing',
      delivery: 'browser',
      runs_in: 'page',
      vendor: 'meta-pixel',
      created_at: '2026-11-01T00:00:00+00:00',
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?\+00:00$/),
    })
    expect(second.created_at).toBe('2026-11-02T00:00:00.1+00:00')
    expect(second.consent_category).toBe('desempenho')
  })

  test('selects, renames and casts', async () => {
    const select = 'id,nome:name,quando:created_at::text,is_active::text,created_at,"pixel_id"'
    const answer = await get(`select=${encodeURIComponent(select)}&id=eq.${ids[1]}`)
    expect(answer.body).toBe(
      `[{"id":"${ids[1]}","nome":"ação menor","quando":"2026-11-02 00:00:00.1+00","is_active":"false","created_at":"2026-11-02T00:00:00.1+00:00","pixel_id":"G-2"}]`,
    )
  })

  test('answers a repeated address from its plan with current data', async () => {
    const ask = async () => (await get('select=name&type=eq.meta')).json()
    expect(await ask()).toEqual([{ name: 'Ação de Graças' }])
    await data.call({
      method: 'PATCH',
      url: `/rest/v1/tracking_pixels?id=eq.${first}`,
      payload: { name: 'Outro' },
    })
    expect(await ask()).toEqual([{ name: 'Outro' }])
    await data.call({
      method: 'PATCH',
      url: `/rest/v1/tracking_pixels?id=eq.${first}`,
      payload: { name: 'Ação de Graças' },
    })
  })

  test.each([
    ['a whole list', '', {}, 200, '0-4/5'],
    ['a part', 'limit=2', {}, 206, '0-1/5'],
    ['a later part', 'limit=2&offset=4', {}, 206, '4-4/5'],
    ['a filtered whole', 'type=eq.custom', {}, 200, '0-1/2'],
    ['nothing', 'type=eq.nope', {}, 200, '*/0'],
    ['a range', '', { range: '1-2' }, 206, '1-2/5'],
    ['an open range', '', { range: '3-', 'range-unit': 'items' }, 206, '3-4/5'],
    ['a range inside a limit', 'limit=3&offset=1', { range: '2-9' }, 206, '2-3/5'],
  ])('counts %s', async (_what, search, headers, status, range) => {
    const answer = await get(search, { prefer: 'count=exact', ...headers })
    expect(answer.statusCode).toBe(status)
    expect(answer.headers['content-range']).toBe(range)
    expect(answer.headers['preference-applied']).toBe('count=exact')
  })

  test('HEAD counts and returns no rows', async () => {
    const answer = await data.call({
      method: 'HEAD',
      url: '/rest/v1/tracking_pixels?limit=1',
      headers: { prefer: 'count=exact' },
    })
    expect(answer.statusCode).toBe(206)
    expect(answer.headers['content-range']).toBe('0-0/5')
    expect(answer.body).toBe('')
  })

  test('returns one object on request', async () => {
    const headers = { accept: 'application/vnd.pgrst.object+json' }
    const answer = await get(`select=name&id=eq.${ids[3]}`, headers)
    expect(answer.body).toBe('{"name":"custom, one"}')
    expect(answer.headers['content-type']).toBe('application/vnd.pgrst.object+json; charset=utf-8')
    for (const [search, count] of [
      ['type=eq.custom', 2],
      ['type=eq.nope', 0],
    ]) {
      const refused = await get(String(search), headers)
      expect(refused.statusCode).toBe(406)
      expect(refused.json()).toMatchObject({ code: 'PGRST116', details: `The result contains ${count} rows` })
    }
  })

  test('CSV', async () => {
    const answer = await get('select=name,pixel_id,is_active,created_at,code', { accept: 'text/csv' })
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(answer.body).toBe(
      [
        'name,pixel_id,is_active,created_at,code',
        '"Ação de Graças",111,t,"2026-11-01 00:00:00+00","<b>""1""</b>"',
        '"ação menor",G-2,f,"2026-11-02 00:00:00.1+00","a,b"',
        'Beta_*?[x],GTM-3,t,"2026-11-03 00:00:00.2+00",""',
        '"custom, one",,f,"2026-11-04 00:00:00.3+00",null',
        '"zeta (50%)",,t,"2026-11-05 00:00:00.4+00","line\nline"',
      ].join('\n'),
    )
  })

  test('CSV without cells that begin like a formula', async () => {
    const id = '00000000-0000-4000-8000-00000000cafe'
    await insertPixel(data.database.db, { id, name: '=1+1', type: 'custom', code: 'a;@sum(1)' })
    const answer = await get(`select=name,code&id=eq.${id}`, { accept: 'text/csv' })
    await data.database.db.deleteFrom('tracking_pixels').where('id', '=', id).execute()
    expect(answer.body).toBe("name,code\n'=1+1,a;'@sum(1)")
  })

  test('omits nulls on request', async () => {
    const accept = 'application/vnd.pgrst.array+json;nulls=stripped'
    const answer = await get(`select=name,pixel_id&id=eq.${ids[3]}`, { accept })
    expect(answer.body).toBe('[{"name":"custom, one"}]')
  })

  test.each([
    ['an unknown column', 'nope=eq.1', 400, '42703', 'column tracking_pixels.nope does not exist'],
    [
      'an unknown column in select',
      'select=nope',
      400,
      '42703',
      'column tracking_pixels.nope does not exist',
    ],
    ['an unknown column in order', 'order=nope', 400, '42703', 'column tracking_pixels.nope does not exist'],
    [
      'an unknown operator',
      'name=foo.1',
      400,
      'PGRST100',
      '"failed to parse filter (foo.1)" (line 1, column 4)',
    ],
    ['no operator', 'name=1', 400, 'PGRST100', 'failed to parse filter (1)'],
    ['an unclosed group', 'or=(name.eq.1', 400, 'PGRST100', 'failed to parse logic tree ((name.eq.1)'],
    ['a bad direction', 'order=name.up', 400, 'PGRST100', 'failed to parse order'],
    ['a bad uuid', 'id=eq.x', 400, '22P02', 'invalid input syntax for type uuid: "x"'],
    ['a bad boolean', 'is_active=eq.maybe', 400, '22P02', 'invalid input syntax for type boolean: "maybe"'],
    [
      'a bad time',
      'created_at=gt.soon',
      400,
      '22007',
      'invalid input syntax for type timestamp with time zone',
    ],
    ['a day that is not', 'created_at=gt.2026-02-30', 400, '22008', 'date/time field value out of range'],
    ['a pattern on a time', 'created_at=like.2026*', 404, '42883', 'operator does not exist'],
    [
      'a comparison with JSON',
      'allowed_hosts=eq.[]',
      404,
      '42883',
      'operator does not exist: json = unknown',
    ],
    ['an order by JSON', 'order=allowed_hosts', 404, '42883', 'could not identify an ordering operator'],
    [
      'truth of text',
      'name=is.true',
      400,
      '42804',
      'argument of IS TRUE must be type boolean, not type text',
    ],
    ['a pattern that ends in escape', 'name=like.a\\', 400, '22025', 'LIKE pattern must not end with escape'],
    ['a zero character', 'name=eq.%00', 400, '22P05', 'unsupported Unicode escape sequence'],
    ['a zero character in a JSON path', 'select=allowed_hosts->%00', 400, '22P05', 'unsupported Unicode'],
    ['one in the path of a filter', 'conversion_labels->>a%00=eq.b', 400, '22P05', 'unsupported Unicode'],
    ['an embedded resource', 'select=id,other(*)', 400, 'PGRST200', "between 'tracking_pixels' and 'other'"],
    ['an aggregate', 'select=count()', 400, 'PGRST123', 'Use of aggregate functions is not allowed'],
    ['a filter on an embedded one', 'other.id=eq.1', 400, 'PGRST108', "'other' is not an embedded resource"],
    ['an unknown cast', 'select=id::int', 400, '42846', 'cannot cast'],
    ['a negative limit', 'limit=-1', 416, 'PGRST103', 'Requested range not satisfiable'],
    ['a limit in words', 'limit=ten', 400, 'PGRST100', 'failed to parse limit (ten)'],
  ])('refuses %s', async (_what, search, status, code, message) => {
    const answer = await get(search)
    expect(answer.statusCode, answer.body).toBe(status)
    expect(answer.json()).toEqual({
      code,
      message: expect.stringContaining(message),
      details: answer.json().details,
      hint: answer.json().hint,
    })
  })

  test.each([
    ['an offset past the counted end', 'offset=9', { prefer: 'count=exact' }, 416, 'PGRST103'],
    ['a range upside down', '', { range: '5-2' }, 416, 'PGRST103'],
    ['another schema', '', { 'accept-profile': 'auth' }, 406, 'PGRST106'],
    ['a form it does not have', '', { accept: 'text/html' }, 406, 'PGRST107'],
    ['an unknown preference, strictly', '', { prefer: 'handling=strict, foo=bar' }, 400, 'PGRST122'],
  ])('refuses %s', async (_what, search, headers, status, code) => {
    const answer = await get(search, headers)
    expect(answer.statusCode, answer.body).toBe(status)
    expect(answer.json().code).toBe(code)
  })
})
