import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DAY_MS } from '#contract/durations.ts'
import type { Pixel } from '#contract/pixel.ts'
import { type ColumnFacts, PIXEL_COLUMNS, pixelColumns } from '#contract/pixel-columns.ts'
import type { PixelConflict, PixelHistory, RestoredPixel, Trash } from '#contract/pixel-history.ts'
import { TAG_REFUSED } from '#contract/tag-status.ts'
import { type CallerName, type DataApp, startDataApp } from '#tests/support/data-app.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { KILLERS } from '#tests/support/nasty-snippets.ts'
import { storeReports } from '#tests/support/stored-counts.ts'
import { sweepTable } from '#tests/support/sweep-table.ts'
import { sumCounts } from '../stats/counts.ts'
import { CONTENT_COLUMNS } from './history.ts'

const HOOK = 'https://hooks.exemplo.com.br/a'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const TOKEN = { access_token: 'EAAG1234EAAG1234EAAG1234' }
/** Every column of the history that a form can contain. */
const COMPARED = pixelColumns(({ label, write }) => label !== undefined && write === 'always')
const KILLER = Object.values(KILLERS)[0] ?? ''

type ContentVersion = Partial<Pixel> & { access_token?: string }
const contentOf = (pixel: Pixel) => CONTENT_COLUMNS.map((name) => [name, pixel[name]])

describe.each(TIER_ENGINES)('trash and history of pixels, on %s', (engine) => {
  let site: DataApp
  beforeAll(async () => {
    site = await startDataApp(engine)
  })
  afterAll(() => site.close())
  beforeEach(async () => {
    await site.database.db.deleteFrom('tracking_pixels').execute()
    await site.database.db.deleteFrom('audit_events').execute()
  })

  const rest = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', query: string, payload?: object) => {
    const answer = await site.call({
      method,
      url: `/rest/v1/tracking_pixels?${query}`,
      headers: { prefer: 'return=representation', 'content-type': 'application/json' },
      ...(payload === undefined ? {} : { payload }),
    })
    expect(answer.statusCode, answer.body).toBeLessThan(300)
    return answer.json<Pixel[]>()
  }
  const add = async (pixel: Partial<Pixel> = {}) => {
    const [row] = await rest('POST', '', {
      name: 'Loja',
      type: 'custom',
      code: '<script>a()</script>',
      ...pixel,
    })
    return row as Pixel
  }
  const remove = (id: string) => rest('DELETE', `id=eq.${id}`)
  const list = () => rest('GET', 'select=*')
  const get = (url: string, as: CallerName = 'admin') =>
    site.call({ method: 'GET', url: `/admin/api${url}`, as })
  const post = (url: string, payload: object = {}, as: CallerName = 'admin') =>
    site.call({ method: 'POST', url: `/admin/api${url}`, payload, as })
  const trash = async () => (await get('/trash')).json<Trash>()
  const history = async (id: string, query = '') =>
    (await get(`/pixels/${id}/history${query}`)).json<PixelHistory>()

  test('a deleted pixel is only in the trash, and comes back unchanged with its counts', async () => {
    const pixel = await add({ allowed_hosts: ['cdn.example.com'], conversion_labels: { lead: 'AbC' } })
    const other = await add({ name: 'Outro', is_active: false })
    const { db } = site.database
    const hour = '2026-11-15T10:00:00.000Z'
    await storeReports(db, [{ pixel_id: pixel.id, hour, ran: 5 }])
    await remove(pixel.id)
    await remove(other.id)
    expect(await list()).toEqual([])
    expect(await rest('PATCH', `id=eq.${pixel.id}`, { name: 'X' })).toEqual([])
    expect(await rest('DELETE', `id=eq.${pixel.id}`)).toEqual([])
    expect((await get(`/pixels/${pixel.id}/history`)).statusCode).toBe(404)
    expect(
      await db.selectFrom('tracking_pixels').where('is_active', '=', true).selectAll().execute(),
    ).toEqual([])
    const { pixels, total } = await trash()
    expect(total).toBe(2)
    expect(pixels.find(({ id }) => id === pixel.id)).toMatchObject({
      name: 'Loja',
      was_active: true,
      deleted_by: 'ana@exemplo.com.br',
    })
    const [entry] = pixels
    expect(Date.parse(entry?.kept_until ?? '') - Date.parse(entry?.deleted_at ?? '')).toBe(30 * DAY_MS)

    const changes = site.changes()
    expect((await post(`/trash/${pixel.id}/restore`)).statusCode).toBe(204)
    expect((await post(`/trash/${other.id}/restore`)).statusCode).toBe(204)
    expect(site.changes()).toBe(changes + 2)
    const back = await list()
    const { updated_at: _was, ...asItWas } = pixel
    expect(back.find(({ id }) => id === pixel.id)).toMatchObject(asItWas)
    expect(back.find(({ id }) => id === other.id)?.is_active).toBe(false)
    expect(await sumCounts(db, { series: 'tag.result', resolution: 'hour', from: 0 })).toEqual([
      { subject: pixel.id, key: 'ran', count: 5 },
    ])
    expect(await trash()).toEqual({ pixels: [], total: 0 })
    expect((await post(`/trash/${pixel.id}/restore`)).statusCode).toBe(404)
    expect((await history(pixel.id)).versions.map(({ kind }) => kind)).toEqual([
      'restored',
      'deleted',
      'created',
    ])
  })

  test('compares what was typed with what somebody else saved, and names the person', async () => {
    const pixel = await add({ code: 'a()\nb()\nc()' })
    await rest('PATCH', `id=eq.${pixel.id}`, { code: 'a()\nB()\nc()', consent_category: 'desempenho' })
    const { name, type, pixel_id, is_active, conversion_labels } = pixel
    const typed = { name: 'Outra', type, pixel_id, is_active, conversion_labels, code: 'a()\nb()\nd()' }
    const compare = (body: object, as?: CallerName) => post(`/pixels/${pixel.id}/compare`, body, as)
    const answer = (await compare({ ...typed, consent_category: 'desempenho' })).json<PixelConflict>()
    const [now] = await list()
    expect(answer).toEqual({
      saved_by: 'ana@exemplo.com.br',
      saved_at: new Date(now?.updated_at ?? '').toISOString(),
      changes: [
        { field: 'name', label: 'Nome', before: 'Loja', after: 'Outra' },
        {
          field: 'code',
          label: 'Código',
          lines: [
            { kind: 'same', text: 'a()' },
            { kind: 'removed', text: 'B()' },
            { kind: 'removed', text: 'c()' },
            { kind: 'added', text: 'b()' },
            { kind: 'added', text: 'd()' },
          ],
        },
      ],
    })
    expect((await list())[0]).toMatchObject({ name, code: 'a()\nB()\nc()' })
    expect((await compare({ name: 5 })).statusCode).toBe(400)
    expect((await compare({ ...typed, consent_category: 'x' }, 'stranger')).statusCode).toBe(403)
    await remove(pixel.id)
    expect((await compare({ ...typed, consent_category: 'desempenho' })).statusCode).toBe(404)
  })

  test.each<[string, Partial<Pixel>, Partial<Pixel> & { access_token?: string }]>([
    ['name', {}, { name: 'Outra' }],
    ['type', { type: 'google_analytics', pixel_id: 'G-1' }, { type: 'google_tag_manager' }],
    ['pixel_id', { type: 'meta', pixel_id: '1' }, { pixel_id: '2' }],
    ['code', {}, { code: '<b>2</b>' }],
    ['is_active', {}, { is_active: false }],
    ['allowed_hosts', {}, { allowed_hosts: ['a.example.com'] }],
    ['consent_category', {}, { consent_category: 'desempenho' }],
    ['conversion_labels', {}, { conversion_labels: { lead: 'a' } }],
    // A way of sending also sets the destination.
    ['delivery', { webhook_url: HOOK, destination: 'webhook' }, { delivery: 'server', access_token: SECRET }],
    ['destination', {}, { destination: 'webhook' }],
    ['webhook_url', { webhook_url: HOOK }, { webhook_url: `${HOOK}b` }],
    [
      'send_hashed_email',
      { type: 'meta', pixel_id: '123456', delivery: 'both', ...TOKEN },
      { send_hashed_email: true },
    ],
    ['auto_disable', {}, { auto_disable: true }],
    ['runs_in', {}, { runs_in: 'isolated' }],
    ['reason', {}, { reason: 'Campanha' }],
  ])("the conflict box shows a colleague's change of %s", async (field, pixel, change) => {
    expect(COMPARED).toContain(field)
    const opened = await add(pixel)
    await rest('PATCH', `id=eq.${opened.id}`, change)
    const typed = Object.fromEntries(COMPARED.map((name) => [name, opened[name]]))
    const { changes } = (await post(`/pixels/${opened.id}/compare`, typed)).json<PixelConflict>()
    expect(changes.map((each) => each.field)).toEqual([field])
    expect(changes[0]?.label).toBe((PIXEL_COLUMNS as Record<string, ColumnFacts>)[field]?.label)
  })

  test('restores a pixel with outdated code switched off, with a warning, and refuses to switch it on', async () => {
    const pixel = await add()
    const { db } = site.database
    await remove(pixel.id)
    // As an older compiler accepted it.
    await db.updateTable('tracking_pixels').set({ code: KILLER }).where('id', '=', pixel.id).execute()
    const answer = await post(`/trash/${pixel.id}/restore`)
    expect(answer.statusCode, answer.body).toBe(200)
    expect(answer.json<RestoredPixel>().warning).toMatch(/não é mais aceito.*Edite o código/)
    expect(await list()).toMatchObject([{ id: pixel.id, is_active: false, code: KILLER }])
    expect((await trash()).total).toBe(0)
    expect((await history(pixel.id)).versions[0]?.kind).toBe('restored')
    const on = await site.call({
      method: 'PATCH',
      url: `/rest/v1/tracking_pixels?id=eq.${pixel.id}`,
      payload: { is_active: true },
    })
    expect(on.json()).toMatchObject({ code: TAG_REFUSED })
  })

  test('restores once when eight people do it at the same time', async () => {
    const pixel = await add()
    await remove(pixel.id)
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(`/trash/${pixel.id}/restore`)))
    expect(answers.filter(({ statusCode }) => statusCode === 204)).toHaveLength(1)
    expect(answers.filter(({ statusCode }) => [404, 409].includes(statusCode))).toHaveLength(7)
    expect(await list()).toHaveLength(1)
    expect((await history(pixel.id)).versions.map(({ kind }) => kind)).toEqual([
      'restored',
      'deleted',
      'created',
    ])
  })

  test('never restores content older than the last save', async () => {
    // Takes a while to compile, outside of any transaction.
    const code = `<script>${'var a = 1;'.repeat(9_000)}</script>`
    for (let round = 0; round < 6; round++) {
      const pixel = await add({ name: 'antes', code })
      await remove(pixel.id)
      const restore = () => post(`/trash/${pixel.id}/restore`)
      const save = async () => {
        await restore()
        const saved = await rest('PATCH', `id=eq.${pixel.id}`, { name: 'depois' })
        await remove(pixel.id)
        return saved.length
      }
      const [saved] = await Promise.all([save(), restore(), restore(), restore()])
      expect(saved).toBe(1)
      const { name } = await site.database.db
        .selectFrom('tracking_pixels')
        .select('name')
        .where('id', '=', pixel.id)
        .executeTakeFirstOrThrow()
      expect(name, `round ${round}`).toBe('depois')
    }
  })

  test('deletes once when eight people do it at the same time', async () => {
    const pixel = await add()
    const removed = await Promise.all(Array.from({ length: 8 }, () => remove(pixel.id)))
    expect(removed.filter((rows) => rows.length === 1)).toHaveLength(1)
    expect((await trash()).total).toBe(1)
  })

  test('an id in the trash can be inserted again', async () => {
    const pixel = await add()
    await remove(pixel.id)
    const [again] = await rest('POST', '', { id: pixel.id, name: 'De novo', type: 'custom' })
    expect(again).toMatchObject({ id: pixel.id, name: 'De novo', code: '' })
    expect(await trash()).toMatchObject({ total: 0 })
    const taken = await site.call({
      method: 'POST',
      url: '/rest/v1/tracking_pixels',
      headers: { 'content-type': 'application/json' },
      payload: { id: pixel.id, name: 'Outra vez', type: 'custom' },
    })
    expect([taken.statusCode, taken.json<{ code: string }>().code]).toEqual([409, '23505'])
    expect(await list()).toMatchObject([{ name: 'De novo' }])
  })

  test('the history shows who, when and what by line, and a version is restored as an edit', async () => {
    const code = Array.from({ length: 12 }, (_, line) => `// ${line}`).join('\n')
    const pixel = await add({ code: `<script>\n${code}\na()\n</script>` })
    await rest('PATCH', `id=eq.${pixel.id}`, { code: `<script>\n${code}\nb()\n</script>`, name: 'Loja nova' })
    await rest('PATCH', `id=eq.${pixel.id}`, { is_active: false })
    await rest('PATCH', `id=eq.${pixel.id}`, {
      consent_category: 'desempenho',
      allowed_hosts: ['a.example.com'],
    })
    const { versions, next } = await history(pixel.id)
    expect(next).toBeNull()
    expect(versions.map(({ kind, by, restorable }) => [kind, by, restorable])).toEqual([
      ['changed', 'ana@exemplo.com.br', false],
      ['switched_off', 'ana@exemplo.com.br', true],
      ['changed', 'ana@exemplo.com.br', true],
      ['created', 'ana@exemplo.com.br', true],
    ])
    expect(versions[0]?.changes).toEqual([
      { field: 'allowed_hosts', label: 'Domínios permitidos', before: null, after: 'a.example.com' },
      { field: 'consent_category', label: 'Categoria', before: 'Marketing', after: 'Desempenho' },
    ])
    expect(versions[1]?.changes).toEqual([
      { field: 'is_active', label: 'Status', before: 'Ativo', after: 'Inativo' },
    ])
    expect(versions[2]?.changes).toEqual([
      { field: 'name', label: 'Nome', before: 'Loja', after: 'Loja nova' },
      {
        field: 'code',
        label: 'Código',
        lines: [
          { kind: 'gap', lines: 11 },
          { kind: 'same', text: '// 10' },
          { kind: 'same', text: '// 11' },
          { kind: 'removed', text: 'a()' },
          { kind: 'added', text: 'b()' },
          { kind: 'same', text: '</script>' },
        ],
      },
    ])

    const created = versions.at(-1)
    expect((await post(`/pixels/${pixel.id}/restore`, { version: created?.id })).statusCode).toBe(204)
    const [now] = await list()
    // The switch and the permitted hosts are separate decisions.
    expect(now).toMatchObject({
      name: 'Loja',
      code: pixel.code,
      consent_category: 'marketing',
      is_active: false,
      allowed_hosts: ['a.example.com'],
    })
    const after = await history(pixel.id)
    expect(after.versions[0]).toMatchObject({ kind: 'changed', restorable: false })
    expect(after.versions).toHaveLength(5)
  })

  test.each<[string, ContentVersion[]]>([
    [
      'a custom one',
      [
        {
          name: 'Loja',
          type: 'custom',
          code: '<script>a()</script>',
          consent_category: 'desempenho',
          conversion_labels: { lead: 'AbC' },
          runs_in: 'isolated',
          reason: 'Campanha de novembro',
          auto_disable: true,
        },
        {
          type: 'meta',
          pixel_id: '123456789012345',
          code: '',
          conversion_labels: {},
          runs_in: 'page',
          reason: null,
          auto_disable: false,
        },
      ],
    ],
    [
      'a custom one that the server tells',
      [
        { type: 'custom', delivery: 'server', webhook_url: HOOK, access_token: SECRET },
        { delivery: 'browser', webhook_url: null },
      ],
    ],
    [
      'one of Meta',
      [
        { type: 'meta', pixel_id: '123456789012345', delivery: 'both', send_hashed_email: true, ...TOKEN },
        { delivery: 'browser', send_hashed_email: false },
      ],
    ],
  ])('a version of %s restores everything that a person wrote', async (_, [first, ...edits]) => {
    const { id } = await add(first)
    for (const edit of edits) await rest('PATCH', `id=eq.${id}`, edit)
    const events = await site.database.db.selectFrom('audit_events').select(['id', 'after']).execute()
    expect(events).toHaveLength(edits.length + 1)
    for (const { id: version, after } of events) {
      const answer = await post(`/pixels/${id}/restore`, { version })
      expect(answer.statusCode, answer.body).toBe(204)
      expect((await list()).map(contentOf)).toEqual([contentOf(after as Pixel)])
    }
  })

  test('returns versions in pages, without gaps or duplicates', async () => {
    const pixel = await add()
    const at = new Date().toISOString()
    const event = (n: number) => ({
      id: randomUUID(),
      actor: `pessoa ${n}`,
      action: 'tracking_pixels.update',
      subject: pixel.id,
      before: JSON.stringify({ name: `${n}` }),
      after: JSON.stringify({ name: `${n + 1}` }),
      // All at the same time.
      created_at: at,
    })
    await site.database.db
      .insertInto('audit_events')
      .values(Array.from({ length: 45 }, (_, n) => event(n)))
      .execute()
    const seen: string[] = []
    let query = ''
    do {
      const page = await history(pixel.id, query)
      seen.push(...page.versions.map(({ id }) => id))
      query = page.next === null ? '' : `?before=${page.next}`
    } while (query !== '')
    expect(seen).toHaveLength(46)
    expect(new Set(seen).size).toBe(46)
    for (const cursor of ['x', `2026-11-15T12:00:00.000Z_${'-'.repeat(36)}`])
      expect((await get(`/pixels/${pixel.id}/history?before=${cursor}`)).statusCode, cursor).toBe(400)
  })

  test('deletes it after thirty days, and not before', async () => {
    const { db } = site.database
    for (let n = 0; n < 25; n++) await remove((await add()).id)
    const young = await add({ name: 'Ontem' })
    await remove(young.id)
    const later = Date.now() + 30 * DAY_MS
    await db
      .updateTable('tracking_pixels')
      .set({ deleted_at: new Date(Date.now() + DAY_MS).toISOString() })
      .where('id', '=', young.id)
      .execute()
    await sweepTable(db, 'tracking_pixels', { now: later })
    expect((await trash()).pixels.map(({ name }) => name)).toEqual(['Ontem'])
  })

  test.each<[CallerName, number]>([
    ['guest', 401],
    ['anon', 401],
    ['stranger', 403],
    ['halfway', 403],
    ['service', 200],
  ])('%s gets %i', async (as, status) => {
    const kept = await add()
    const pixel = await add()
    await remove(pixel.id)
    const version = randomUUID()
    const isIn = status === 200
    expect((await get('/trash', as)).statusCode).toBe(status)
    expect((await get(`/pixels/${kept.id}/history`, as)).statusCode).toBe(status)
    expect((await post(`/pixels/${kept.id}/restore`, { version }, as)).statusCode).toBe(isIn ? 404 : status)
    expect((await post(`/trash/${pixel.id}/restore`, {}, as)).statusCode).toBe(isIn ? 204 : status)
    expect(await list()).toHaveLength(isIn ? 2 : 1)
  })

  test('returns 404 for unknown ids, versions and versions of another pixel', async () => {
    const [one, two] = [await add(), await add()]
    const [version] = (await history(two.id)).versions
    expect((await post(`/pixels/${one.id}/restore`, { version: version?.id })).statusCode).toBe(404)
    expect((await post(`/pixels/${one.id}/restore`, { version: 'x' })).statusCode).toBe(400)
    expect((await post(`/pixels/${one.id}/restore`)).statusCode).toBe(400)
    expect((await post('/pixels/x/restore', { version: version?.id })).statusCode).toBe(404)
    expect((await post(`/trash/${one.id}/restore`)).statusCode).toBe(404)
  })
})
