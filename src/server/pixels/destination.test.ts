import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelHistory } from '#contract/pixel-history.ts'
import { type DataApp, startDataApp } from '#tests/support/data-app.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'

const TOKEN = 'EAAG0123456789secretTOKEN'
const META = { name: 'Meta', type: 'meta', pixel_id: '482910377165024' }
const GA4 = { type: 'google_analytics', pixel_id: 'G-7XK2M9QTLP' }

describe.each(TIER_ENGINES)('the destination of a pixel, on %s', (engine) => {
  let data: DataApp
  beforeAll(async () => {
    data = await startDataApp(engine)
  })
  afterAll(() => data.close())
  beforeEach(async () => {
    await data.database.db.deleteFrom('tracking_pixels').execute()
    await data.database.db.deleteFrom('audit_events').execute()
  })

  const write = async (method: 'POST' | 'PATCH' | 'DELETE', query: string, payload?: object) => {
    const answer = await data.call({
      method,
      url: `/rest/v1/tracking_pixels?${query}`,
      headers: { prefer: 'return=representation', 'content-type': 'application/json' },
      ...(payload === undefined ? {} : { payload }),
    })
    expect(answer.statusCode, answer.body).toBeLessThan(300)
    return answer.json<Pixel[]>()[0] as Pixel
  }
  const add = (pixel: object) => write('POST', '', pixel)
  const change = (id: string, payload: object) => write('PATCH', `id=eq.${id}`, payload)
  /** As a process of an older release leaves the row, without the column. */
  const asOlder = (id: string, values: Partial<Pick<Pixel, 'type' | 'destination' | 'pixel_id'>>) =>
    data.database.db.updateTable('tracking_pixels').set(values).where('id', '=', id).execute()

  test('follows the type once the server sends, and stays when the browser sends again', async () => {
    const { id, destination } = await add({ ...META, access_token: TOKEN })
    expect(destination).toBeNull()
    expect(await change(id, { delivery: 'both' })).toMatchObject({ destination: 'meta' })
    expect(await change(id, { delivery: 'browser' })).toMatchObject({ destination: 'meta' })
    expect(await change(id, { ...GA4, delivery: 'server', access_token: TOKEN })).toMatchObject({
      destination: 'google_analytics',
    })
    expect(await change(id, { type: 'custom', pixel_id: null, delivery: 'browser' })).toMatchObject({
      destination: null,
      has_access_token: false,
    })
  })

  test('is shown in words in the history', async () => {
    const { id } = await add({ ...META, access_token: TOKEN })
    await change(id, { delivery: 'server' })
    const { versions } = (await data.call({ url: `/admin/api/pixels/${id}/history` })).json<PixelHistory>()
    expect(versions[0]?.changes).toEqual([
      { field: 'delivery', label: 'Forma de envio', before: 'Pela página', after: 'Pelo servidor' },
      { field: 'destination', label: 'Plataforma', before: null, after: 'Meta' },
    ])
  })

  test('is filled by the next change of a row from an older process, which keeps its secret', async () => {
    const { id } = await add({ ...META, delivery: 'server', access_token: TOKEN })
    await asOlder(id, { destination: null })
    expect(await change(id, { name: 'Outro' })).toMatchObject({
      destination: 'meta',
      has_access_token: true,
    })
  })

  test('is replaced if an older process changed the type alone', async () => {
    const { id } = await add({ ...META, delivery: 'server', access_token: TOKEN })
    await asOlder(id, { ...GA4, type: 'google_analytics' })
    expect(await change(id, { name: 'Outro' })).toMatchObject({
      destination: 'google_analytics',
      has_access_token: true,
    })
    await asOlder(id, { destination: 'meta' })
    await write('DELETE', `id=eq.${id}`)
    const restored = await data.call({ method: 'POST', url: `/admin/api/trash/${id}/restore`, payload: {} })
    expect(restored.statusCode, restored.body).toBe(204)
    const [row] = (await data.call({ url: '/rest/v1/tracking_pixels' })).json<Pixel[]>()
    expect(row).toMatchObject({ id, destination: 'google_analytics' })
  })
})
