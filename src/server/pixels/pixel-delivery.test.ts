import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Pixel } from '#contract/pixel.ts'
import { type DataApp, startDataApp } from '#tests/support/data-app.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { queuedEvent } from '#tests/support/queued-event.ts'

const TOKEN = 'EAAG0123456789secretTOKEN'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const META = { name: 'Meta', type: 'meta', pixel_id: '482910377165024' }
const GA4 = { name: 'GA4', type: 'google_analytics', pixel_id: 'G-7XK2M9QTLP' }
const GTM = { name: 'GTM', type: 'google_tag_manager', pixel_id: 'GTM-K4W8PZ2' }
const CUSTOM = { name: 'Webhook', type: 'custom' }
const HOOK = 'https://hooks.exemplo.com.br/conversoes?canal=site'

describe.each(TIER_ENGINES)('how a pixel is sent, on %s', (engine) => {
  let data: DataApp
  beforeAll(async () => {
    data = await startDataApp(engine)
  })
  afterAll(() => data.close())
  beforeEach(async () => {
    await data.database.db.deleteFrom('tracking_pixels').execute()
    await data.database.db.deleteFrom('audit_events').execute()
  })

  const write = (method: 'POST' | 'PATCH' | 'DELETE', query: string, payload?: object) =>
    data.call({
      method,
      url: `/rest/v1/tracking_pixels?${query}`,
      headers: { prefer: 'return=representation', 'content-type': 'application/json' },
      ...(payload === undefined ? {} : { payload }),
    })
  const add = async (pixel: object): Promise<Pixel> => {
    const answer = await write('POST', '', pixel)
    expect(answer.statusCode, answer.body).toBe(201)
    return answer.json<Pixel[]>()[0] as Pixel
  }
  const change = async (id: string, payload: object): Promise<Pixel> => {
    const answer = await write('PATCH', `id=eq.${id}`, payload)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json<Pixel[]>()[0] as Pixel
  }
  const openSecret = async (id: string) => {
    const row = await data.database.db
      .selectFrom('pixel_secrets')
      .select('value')
      .where('pixel_id', '=', id)
      .executeTakeFirst()
    return row === undefined
      ? null
      : data.database.secrets.decrypt({ table: 'pixel_secrets', column: 'value', row: id }, row.value)
  }

  test.each<[string, object, string]>([
    ['both for GA4', { ...GA4, delivery: 'both', access_token: TOKEN }, '"Pela página" ou "Pelo servidor"'],
    ['both for a custom pixel', { ...CUSTOM, delivery: 'both' }, 'Personalizado'],
    ['server for a container', { ...GTM, delivery: 'server' }, 'Google Tag Manager'],
    ['a token for a container', { ...GTM, access_token: TOKEN }, 'não usa token'],
    ['Meta without a token', { ...META, delivery: 'server' }, 'Token de acesso'],
    ['both without a token', { ...META, delivery: 'both', access_token: ' ' }, 'Token de acesso'],
    ['GA4 without a secret', { ...GA4, delivery: 'server' }, 'Chave secreta'],
    ['an Ads id', { ...GA4, pixel_id: 'AW-123456', delivery: 'server', access_token: TOKEN }, '"G-"'],
    [
      'a Meta id with letters',
      { ...META, pixel_id: 'abc', delivery: 'server', access_token: TOKEN },
      'só números',
    ],
    ['a token with a line in it', { ...META, access_token: 'EAAG1234\nEAAG1234' }, 'sem espaços'],
    [
      'a webhook without an address',
      { ...CUSTOM, delivery: 'server', access_token: SECRET },
      'endereço do webhook',
    ],
    [
      'a webhook without a secret',
      { ...CUSTOM, delivery: 'server', webhook_url: HOOK },
      'Segredo de assinatura',
    ],
    [
      'a short webhook secret',
      { ...CUSTOM, webhook_url: HOOK, access_token: 'whsec_abc' },
      'Standard Webhooks',
    ],
    ['a webhook for Meta', { ...META, webhook_url: HOOK }, 'Personalizado'],
    ['http', { ...CUSTOM, webhook_url: 'http://hooks.exemplo.com.br/' }, 'https://'],
    ['localhost', { ...CUSTOM, webhook_url: 'https://localhost/' }, 'público'],
    ['a single label', { ...CUSTOM, webhook_url: 'https://intranet/' }, 'público'],
    ['an inner name', { ...CUSTOM, webhook_url: 'https://api.internal/' }, 'público'],
    ['an address', { ...CUSTOM, webhook_url: 'https://169.254.169.254/latest' }, 'público'],
    ['an address in hex', { ...CUSTOM, webhook_url: 'https://0x7f000001/' }, 'público'],
    ['an IPv6 address', { ...CUSTOM, webhook_url: 'https://[::1]/' }, 'público'],
    ['another port', { ...CUSTOM, webhook_url: 'https://hooks.exemplo.com.br:8443/' }, 'público'],
    ['credentials', { ...CUSTOM, webhook_url: 'https://u:p@hooks.exemplo.com.br/' }, 'senha'],
    ['a destination of another type', { ...GA4, destination: 'meta' }, '"google_analytics"'],
    ['an unknown destination', { ...CUSTOM, destination: 'carrier-pigeon' }, '"webhook"'],
    ['a destination for a container', { ...GTM, destination: 'meta' }, 'não tem destino'],
    ['hashed e-mail in the browser', { ...META, send_hashed_email: true }, 'Meta'],
    ['hashed e-mail for GA4', { ...GA4, send_hashed_email: true }, 'Meta'],
  ])('refuses %s with a message', async (_what, pixel, words) => {
    const answer = await write('POST', '', pixel)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ code: 'pixel_delivery_refused' })
    expect(answer.json<{ message: string }>().message).toContain(words)
    expect(answer.body).not.toContain(TOKEN)
    expect(await data.database.db.selectFrom('pixel_secrets').selectAll().execute()).toEqual([])
  })

  test.each<[string, object, string]>([
    ['Meta by server', { ...META, delivery: 'server' }, TOKEN],
    ['Meta by both', { ...META, delivery: 'both', send_hashed_email: true }, TOKEN],
    ['GA4 by server', { ...GA4, delivery: 'server' }, TOKEN],
    ['a webhook', { ...CUSTOM, delivery: 'server', webhook_url: HOOK }, SECRET],
  ])('stores %s and never returns its secret', async (_what, pixel, token) => {
    const added = await write('POST', '', { ...pixel, access_token: token })
    expect(added.statusCode, added.body).toBe(201)
    const [row] = added.json<Pixel[]>() as [Pixel]
    expect(row).toMatchObject({ ...pixel, has_access_token: true })
    expect(Date.parse(row.access_token_stored_at ?? '')).toBeGreaterThan(Date.now() - 60_000)
    expect(await openSecret(row.id)).toBe(token)

    const sentBack = await write('PATCH', `id=eq.${row.id}`, { ...row, name: 'Outro' })
    const said = [
      added.body,
      sentBack.body,
      (await data.call({ url: '/rest/v1/tracking_pixels?select=*' })).body,
      (await data.call({ url: '/rest/v1/tracking_pixels?select=access_token' })).body,
      (await data.call({ url: `/rest/v1/tracking_pixels?access_token=eq.${token}` })).body.replace(token, ''),
      (await data.call({ url: `/admin/api/pixels/${row.id}/history` })).body,
      (await write('DELETE', `id=eq.${row.id}`)).body,
      (await data.call({ url: '/admin/api/trash' })).body,
      JSON.stringify(await data.database.db.selectFrom('audit_events').selectAll().execute()),
      JSON.stringify(await data.database.db.selectFrom('tracking_pixels').selectAll().execute()),
      JSON.stringify(await data.database.db.selectFrom('pixel_secrets').selectAll().execute()),
    ].join('\n')
    expect(said).toContain('has_access_token')
    expect(said).not.toContain(token)
    expect(await openSecret(row.id)).toBe(token)
  })

  test('replaces a secret, keeps it when it is not sent, and deletes it once the browser sends', async () => {
    const { id, access_token_stored_at } = await add({ ...META, delivery: 'server', access_token: TOKEN })
    expect((await change(id, { name: 'Outro' })).access_token_stored_at).toBe(access_token_stored_at)
    await change(id, { access_token: `${TOKEN}2` })
    expect(await openSecret(id)).toBe(`${TOKEN}2`)
    const refused = await write('PATCH', `id=eq.${id}`, { access_token: null })
    expect(refused.json<{ message: string }>().message).toContain('escolha antes')
    expect(await openSecret(id)).toBe(`${TOKEN}2`)
    const removed = await change(id, { delivery: 'browser', access_token: '' })
    expect(removed).toMatchObject({ has_access_token: false, access_token_stored_at: null })
    expect(await openSecret(id)).toBeNull()
  })

  test("another type does not inherit the former vendor's secret", async () => {
    const { id } = await add({ ...META, access_token: TOKEN })
    expect(await change(id, { type: 'google_analytics', pixel_id: 'G-7XK2M9QTLP' })).toMatchObject({
      has_access_token: false,
    })
    expect(await openSecret(id)).toBeNull()
  })

  test('restoring from the trash keeps the secret; inserting the same id does not', async () => {
    const { id } = await add({ ...META, delivery: 'server', access_token: TOKEN })
    await write('DELETE', `id=eq.${id}`)
    const restored = await data.call({ method: 'POST', url: `/admin/api/trash/${id}/restore`, payload: {} })
    expect(restored.statusCode, restored.body).toBe(204)
    expect(await openSecret(id)).toBe(TOKEN)
    await write('DELETE', `id=eq.${id}`)
    expect(await add({ ...META, id })).toMatchObject({ delivery: 'browser', has_access_token: false })
    expect(await openSecret(id)).toBeNull()
  })

  test('a pixel without its secret can still be switched off', async () => {
    const { id } = await add({ ...META, delivery: 'server', access_token: TOKEN })
    const { db } = data.database
    await db.deleteFrom('pixel_secrets').execute()
    await db.updateTable('tracking_pixels').set({ has_access_token: false }).execute()
    expect(await change(id, { is_active: false })).toMatchObject({ is_active: false })
  })

  test('a new token ends a stop, and waiting events are due', async () => {
    const { id } = await add({ ...META, delivery: 'server', access_token: TOKEN })
    const { db } = data.database
    const later = new Date(Date.now() + 3_600_000).toISOString()
    await db
      .insertInto('delivery_stops')
      .values({ pixel_id: id, code: 'token_refused', message: 'x', stopped_at: later })
      .execute()
    await db.insertInto('deliveries').values(queuedEvent(id, later)).execute()
    await change(id, { name: 'Só o nome' })
    expect(await db.selectFrom('delivery_stops').select('code').execute()).toHaveLength(1)
    await change(id, { access_token: `${TOKEN}2` })
    expect(await db.selectFrom('delivery_stops').select('code').execute()).toEqual([])
    const [waiting] = await db.selectFrom('deliveries').select('next_attempt_at').execute()
    expect(Date.parse(String(waiting?.next_attempt_at))).toBeLessThanOrEqual(Date.now())
  })

  test('runs only custom pixels isolated, and only on request', async () => {
    const { id, runs_in } = await add({ ...CUSTOM, code: '' })
    expect(runs_in).toBe('page')
    expect((await change(id, { runs_in: 'isolated' })).runs_in).toBe('isolated')
    for (const refused of [
      { ...META, runs_in: 'isolated' },
      { ...CUSTOM, runs_in: 'frame' },
    ]) {
      const answer = await write('POST', '', refused)
      expect(answer.statusCode).toBe(400)
      expect(answer.json().message).toContain('tracking_pixels_runs_in_check')
    }
    expect((await write('PATCH', `id=eq.${id}`, META)).statusCode).toBe(400)
    expect((await change(id, { ...META, runs_in: 'page' })).runs_in).toBe('page')
  })
})
