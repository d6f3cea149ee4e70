import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { type DataApp, startDataApp } from '#tests/support/data-app.ts'
import { ENGINES } from '#tests/support/engines.ts'

const PIXELS = '/rest/v1/tracking_pixels'
const ID = '00000000-0000-4000-8000-000000000001'
const OTHER = '00000000-0000-4000-8000-000000000002'
const META = { name: 'Meta', type: 'meta', pixel_id: '123' }
const SHOW = { prefer: 'return=representation' }
const OBJECT = { accept: 'application/vnd.pgrst.object+json' }

describe.each(ENGINES)('changes of tracking_pixels on %s', (engine) => {
  let data: DataApp
  beforeAll(async () => {
    data = await startDataApp(engine)
  })
  afterAll(() => data.close())
  beforeEach(async () => {
    await data.database.db.deleteFrom('tracking_pixels').execute()
    await data.database.db.deleteFrom('audit_events').execute()
  })

  type Method = 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  const send = (method: Method, search: string, payload?: unknown, headers: Record<string, string> = {}) =>
    data.call({
      method,
      url: `${PIXELS}${search}`,
      headers,
      ...(payload === undefined ? {} : { payload: payload as object }),
    })
  const all = async () => (await data.call({ url: `${PIXELS}?order=name` })).json()
  const audit = () => data.database.db.selectFrom('audit_events').selectAll().orderBy('created_at').execute()

  test('an insert fills in omitted columns, trims the name and updates the page', async () => {
    const before = data.changes()
    const answer = await send('POST', '', { ...META, name: '  Principal \n' }, SHOW)
    expect(answer.statusCode, answer.body).toBe(201)
    expect(answer.headers['preference-applied']).toBe('return=representation')
    expect(answer.headers['content-range']).toBe('*/*')
    const [row] = answer.json()
    expect(row).toMatchObject({
      name: 'Principal',
      code: generateSnippet('meta', '123'),
      is_active: true,
      allowed_hosts: [],
      consent_category: 'marketing',
    })
    expect(await all()).toEqual([row])
    expect(data.changes()).toBe(before + 1)
  })

  test('an insert returns as little as requested', async () => {
    const minimal = await send('POST', '', { ...META, id: ID })
    expect([minimal.statusCode, minimal.body]).toEqual([201, ''])
    const located = await send(
      'POST',
      '',
      { ...META, id: OTHER },
      { prefer: 'return=headers-only,count=exact' },
    )
    expect(located.headers.location).toBe(`${PIXELS}?id=eq.${OTHER}`)
    expect(located.headers['content-range']).toBe('*/1')
    expect(located.body).toBe('')
  })

  test('many rows are one change: all or none', async () => {
    const before = data.changes()
    const bad = await send('POST', '', [META, { ...META, type: 'tiktok' }])
    expect(bad.json()).toMatchObject({
      code: '23514',
      details: expect.stringContaining('type must be one of'),
    })
    expect(await all()).toEqual([])
    expect(await audit()).toEqual([])
    expect(data.changes()).toBe(before)
    const good = await send('POST', '?select=name', [META, { ...META, name: 'B' }], SHOW)
    expect(good.body).toBe('[{"name":"Meta"},{"name":"B"}]')
    expect(data.changes()).toBe(before + 1)
    expect((await send('POST', '', [], SHOW)).body).toBe('[]')
  })

  test('columns select what is taken; missing values are null, or their initial value if preferred', async () => {
    const columns = `?columns=${encodeURIComponent('"name","type","is_active"')}`
    const rows = [
      { name: 'A', type: 'custom', code: 'ignored' },
      { name: 'B', type: 'custom', is_active: false },
    ]
    expect((await send('POST', columns, rows)).json()).toMatchObject({ code: '23502' })
    const done = await send('POST', columns, rows, { prefer: 'return=representation,missing=default' })
    expect(done.json()).toMatchObject([
      { name: 'A', code: '', is_active: true },
      { name: 'B', is_active: false },
    ])
  })

  test('a taken key', async () => {
    await send('POST', '', { ...META, id: ID })
    const answer = await send('POST', '', { ...META, id: ID })
    expect(answer.statusCode).toBe(409)
    expect(answer.json()).toEqual({
      code: '23505',
      message: 'duplicate key value violates unique constraint "tracking_pixels_pkey"',
      details: `Key (id)=(${ID}) already exists.`,
      hint: null,
    })
  })

  test('an update changes the named columns and the version, each time', async () => {
    const [made] = (await send('POST', '', { ...META, id: ID }, SHOW)).json()
    const versions = [made.updated_at]
    for (const is_active of [false, true, false]) {
      const answer = await send('PATCH', `?id=eq.${ID}`, { is_active }, SHOW)
      expect(answer.statusCode, answer.body).toBe(200)
      expect(answer.headers['content-range']).toBe('0-0/*')
      const [row] = answer.json()
      expect(row).toEqual({ ...made, is_active, updated_at: row.updated_at })
      versions.push(row.updated_at)
    }
    expect(versions.toSorted()).toEqual(versions)
    expect(new Set(versions).size).toBe(4)
    const silent = await send('PATCH', `?id=eq.${ID}`, { name: 'N' })
    expect([silent.statusCode, silent.body]).toEqual([204, ''])
  })

  test('a filter on the version detects a concurrent change', async () => {
    const [seen] = (await send('POST', '', { ...META, id: ID }, SHOW)).json()
    const search = `?id=eq.${ID}&updated_at=eq.${encodeURIComponent(seen.updated_at)}`
    expect((await send('PATCH', search, { name: 'first' }, SHOW)).json()).toHaveLength(1)
    const late = await send('PATCH', search, { name: 'second' }, SHOW)
    expect([late.statusCode, late.json()]).toEqual([200, []])
    expect((await all())[0].name).toBe('first')
  })

  test('an update is checked as a whole row', async () => {
    await send('POST', '', { ...META, id: ID })
    expect((await send('PATCH', `?id=eq.${ID}`, { type: 'custom' })).json()).toMatchObject({ code: '23514' })
    expect((await send('PATCH', `?id=eq.${ID}`, { pixel_id: null })).json()).toMatchObject({ code: '23514' })
    expect((await send('PATCH', `?id=eq.${ID}`, { type: 'custom', pixel_id: null })).statusCode).toBe(204)
    expect((await send('PATCH', `?id=eq.${ID}`, { id: OTHER })).json()).toMatchObject({ code: '428C9' })
  })

  test('accepts a whole row that was read before', async () => {
    const [row] = (await send('POST', '', { ...META, id: ID }, SHOW)).json()
    const answer = await send('PATCH', `?id=eq.${ID}`, { ...row, name: 'Novo' }, SHOW)
    expect(answer.json()[0]).toMatchObject({ id: ID, name: 'Novo', created_at: row.created_at })
  })

  test.each(['PATCH', 'DELETE'] as const)('%s without a filter is refused', async (method) => {
    await send('POST', '', META)
    const answer = await send(method, '?select=id', method === 'PATCH' ? { is_active: false } : undefined)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().code).toBe('21000')
    expect(await all()).toHaveLength(1)
  })

  test.each([
    ['an update', 'PATCH', { is_active: false }],
    ['a delete', 'DELETE', undefined],
  ] as const)('%s of too many rows changes none', async (_what, method, payload) => {
    await send('POST', '', [META, META, META])
    const before = await all()
    const strict = (max: number) => ({
      prefer: `handling=strict, max-affected=${max}, return=representation`,
    })
    const answer = await send(method, '?type=eq.meta', payload, strict(2))
    expect(answer.statusCode).toBe(400)
    expect(answer.json().code).toBe('PGRST124')
    expect(await send(method, '?type=eq.meta', payload, { ...OBJECT, ...SHOW })).toMatchObject({
      statusCode: 406,
    })
    expect(await all()).toEqual(before)
    const allowed = await send(method, '?type=eq.meta', payload, strict(3))
    expect(allowed.json()).toHaveLength(3)
    expect(allowed.headers['preference-applied']).toBe(
      'return=representation, handling=strict, max-affected=3',
    )
  })

  test('refuses a change of more than 1,000 rows, and accepts one of 1,000', async () => {
    const at = new Date().toISOString()
    const rows = Array.from({ length: 1_001 }, (_, n) => ({
      id: `00000000-0000-4000-9000-${String(n).padStart(12, '0')}`,
      name: `Tag ${n}`,
      type: 'custom' as const,
      code: '',
      consent_category: 'marketing' as const,
      is_active: false,
      allowed_hosts: '[]',
      created_at: at,
      updated_at: at,
    }))
    for (let from = 0; from < rows.length; from += 500)
      await data.database.db
        .insertInto('tracking_pixels')
        .values(rows.slice(from, from + 500))
        .execute()
    const tooMany = { code: 'PGRST124', hint: expect.stringContaining('1000') }
    const patch = { reason: 'Campanha' }
    expect((await send('PATCH', '?type=eq.custom', patch)).json()).toMatchObject(tooMany)
    expect((await send('DELETE', '?type=eq.custom')).json()).toMatchObject(tooMany)
    const more = rows.map(({ name, type }) => ({ name, type }))
    expect((await send('POST', '', more)).json()).toMatchObject(tooMany)
    expect(await audit()).toEqual([])
    const all = await send('PATCH', '?name=neq.Tag 0', patch, { prefer: 'count=exact' })
    expect([all.statusCode, all.headers['content-range']]).toEqual([204, '0-999/1000'])
  })

  test('a delete removes the rows and returns them on request', async () => {
    await send(
      'POST',
      '',
      [
        { ...META, id: ID },
        { ...META, id: OTHER },
      ].map((row) => ({ ...row })),
    )
    const gone = await send('DELETE', `?id=eq.${ID}&select=id`, undefined, { ...OBJECT, ...SHOW })
    expect([gone.statusCode, gone.body]).toEqual([200, `{"id":"${ID}"}`])
    const counted = await send('DELETE', `?id=eq.${OTHER}`, undefined, { prefer: 'count=exact' })
    expect([counted.statusCode, counted.headers['content-range']]).toEqual([204, '*/1'])
    const again = await send('DELETE', `?id=eq.${OTHER}`, undefined, { 'content-type': 'application/json' })
    expect([again.statusCode, again.headers['content-range']]).toEqual([204, '*/*'])
  })

  test('an upsert merges or ignores, and says which', async () => {
    const merge = { prefer: 'resolution=merge-duplicates,return=representation' }
    const first = await send('POST', '', { ...META, id: ID }, merge)
    expect(first.statusCode).toBe(201)
    const second = await send('POST', '?on_conflict=id', { id: ID, name: 'Merged' }, merge)
    expect(second.statusCode, second.body).toBe(200)
    expect(second.json()[0]).toMatchObject({ id: ID, name: 'Merged', pixel_id: '123' })
    const mixed = [
      { ...META, id: ID, name: 'again' },
      { ...META, id: OTHER, name: 'new' },
    ]
    const ignored = await send('POST', '', mixed, {
      prefer: 'resolution=ignore-duplicates,return=representation',
    })
    expect([ignored.statusCode, ignored.json().length]).toEqual([201, 1])
    expect((await all()).map((row: { name: string }) => row.name)).toEqual(['Merged', 'new'])
    const twice = await send('POST', '', [mixed[0], mixed[0]], merge)
    expect(twice.json().code).toBe('21000')
    const wrong = await send('POST', '?on_conflict=name', mixed, merge)
    expect(wrong.json().code).toBe('42P10')
  })

  test('PUT with the primary key inserts a row, then replaces it', async () => {
    const url = `?id=eq.${ID}`
    const made = await send('PUT', url, { ...META, id: ID, is_active: false }, SHOW)
    expect(made.statusCode, made.body).toBe(201)
    expect(made.json()[0]).toMatchObject({ id: ID, name: 'Meta', is_active: false })
    const changed = await send('PUT', url, [{ ...META, id: ID, name: 'Nova' }], SHOW)
    expect(changed.statusCode, changed.body).toBe(200)
    expect(changed.json()[0]).toMatchObject({ name: 'Nova', is_active: false })
    const silent = await send('PUT', url, { ...META, id: ID })
    expect([silent.statusCode, silent.body]).toEqual([204, ''])
    expect(await all()).toHaveLength(1)
  })

  test.each([
    ['no filter', '', {}, 405, 'PGRST105'],
    ['another filter', `?id=eq.${ID}&name=eq.x`, {}, 405, 'PGRST105'],
    ['another operator', `?id=in.(${ID})`, {}, 405, 'PGRST105'],
    ['a negation', `?id=not.eq.${ID}`, {}, 405, 'PGRST105'],
    ['a limit', `?id=eq.${ID}&limit=1`, {}, 400, 'PGRST114'],
    ['an offset', `?id=eq.${ID}&offset=0`, {}, 400, 'PGRST114'],
    ['another key', `?id=eq.${OTHER}`, {}, 400, 'PGRST115'],
    [
      'two rows',
      `?id=eq.${ID}`,
      [
        { ...META, id: ID },
        { ...META, id: OTHER },
      ],
      400,
      'PGRST115',
    ],
    ['no key in the body', `?id=eq.${ID}`, { id: undefined }, 400, 'PGRST115'],
  ])('PUT with %s is refused', async (_what, search, body, status, code) => {
    const payload = Array.isArray(body) ? body : { ...META, id: ID, ...body }
    const answer = await send('PUT', search, payload)
    expect([answer.statusCode, answer.json().code]).toEqual([status, code])
    expect(await all()).toEqual([])
  })

  test.each(['POST', 'PATCH', 'PUT'] as const)('%s without Content-Type takes JSON', async (method) => {
    await send('POST', '', { ...META, id: OTHER })
    const answer = await data.call({
      method,
      url: `${PIXELS}${method === 'POST' ? '' : `?id=eq.${OTHER}`}`,
      payload: Buffer.from(
        JSON.stringify({ ...META, ...(method === 'POST' ? {} : { id: OTHER }), name: 'Sem tipo' }),
      ),
      headers: { prefer: 'return=representation' },
    })
    expect(answer.statusCode, answer.body).toBeLessThan(300)
    expect(answer.json()[0].name).toBe('Sem tipo')
  })

  test('each change stores who, what, before and after', async () => {
    await send('POST', '', { ...META, id: ID })
    await send('PATCH', `?id=eq.${ID}`, { name: 'Depois' })
    await data.call({ method: 'DELETE', url: `${PIXELS}?id=eq.${ID}`, as: 'service' })
    const events = await audit()
    expect(events.map(({ action, actor, subject }) => [action, actor, subject])).toEqual([
      ['tracking_pixels.insert', 'ana@exemplo.com.br', ID],
      ['tracking_pixels.update', 'ana@exemplo.com.br', ID],
      ['tracking_pixels.delete', 'service key', ID],
    ])
    const [made, changed, gone] = events
    expect([made?.before, made?.after]).toMatchObject([null, { name: 'Meta', allowed_hosts: [] }])
    expect([changed?.before, changed?.after]).toMatchObject([{ name: 'Meta' }, { name: 'Depois' }])
    expect([gone?.before, gone?.after]).toMatchObject([{ name: 'Depois' }, null])
  })

  test('an empty change changes nothing', async () => {
    await send('POST', '', { ...META, id: ID })
    const answer = await send('PATCH', `?id=eq.${ID}`, {}, SHOW)
    expect([answer.statusCode, answer.body, answer.headers['content-range']]).toEqual([200, '[]', '*/*'])
    expect(await audit()).toHaveLength(1)
  })
})
