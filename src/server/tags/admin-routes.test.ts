import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { noteBlockedHost } from '#tests/support/note-blocked-host.ts'
import type { Database } from '../db/database.ts'
import type { Caller } from '../http/caller.ts'
import { registerErrors } from '../http/errors.ts'
import { createLogger } from '../http/logger.ts'
import { registerTagAdmin } from './admin-routes.ts'

import { ReportBuffer } from './report-buffer.ts'
import { TagCompiler } from './tag-compiler.ts'
import { TagStore } from './tag-store.ts'

const OWN = new Set(['portico.example'])
const ADMIN: Caller = {
  kind: 'user',
  userId: randomUUID(),
  email: 'ana@portico.example',
  sessionId: randomUUID(),
  role: 'admin',
  aal: 'aal1',
  needsSecondFactor: false,
}
const log = createLogger('silent')

describe.each(ENGINES)('/admin/api for tags, on %s', (engine) => {
  let database: Database
  let app: FastifyInstance
  let tags: TagStore
  const compiler = new TagCompiler()
  let caller: Caller
  let swaps: (string | null)[]
  beforeAll(async () => {
    database = await makeDatabase(engine)
    tags = new TagStore({
      db: database.db,
      log,
      compiler,
      ownHosts: OWN,
      measureHead: () => 0,
      headers: {},
      swapPage: async (set) => void swaps.push(set.version),
    })
    app = Fastify()
    registerErrors(app, { 404: '', 500: '' }, () => 'service')
    await registerTagAdmin(app, {
      db: database.db,
      tags,
      compiler,
      ownHosts: OWN,
      measureHead: () => 0,
      identify: async () => caller,
      origins: ['https://portico.example'],
    })
  })
  afterAll(async () => {
    await app.close()
    await compiler.close()
    await database.close()
  })
  beforeEach(async () => {
    caller = ADMIN
    swaps = []
    await database.db.deleteFrom('tracking_pixels').execute()
    await database.db.deleteFrom('blocked_hosts').execute()
    await database.db.updateTable('site_state').set({ tags_paused_at: null, tags_paused_by: null }).execute()
    await tags.refresh()
    swaps = []
  })
  /** What another process wrote is read, compiled and served. */
  const refreshed = async () => {
    await tags.refresh()
    await tags.recompile()
  }
  const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: object) =>
    app.inject({ method, url, ...(body === undefined ? {} : { payload: body }) })
  const overview = async () => (await call('GET', '/admin/api/tags')).json<TagOverview>()

  test.each<[string, Caller, number]>([
    ['a guest', { kind: 'guest' }, 401],
    ['the public key alone', { kind: 'anon' }, 401],
    ['a person without a role', { ...ADMIN, role: null } as Caller, 403],
    ['a person who owes the second factor', { ...ADMIN, needsSecondFactor: true } as Caller, 403],
  ])('%s gets nothing and changes nothing', async (_name, who, status) => {
    const pixel = await insertPixel(database.db, { type: 'meta' })
    caller = who
    for (const [method, url, body] of [
      ['GET', '/admin/api/tags'],
      ['GET', `/admin/api/tags/${pixel}/hours`],
      ['POST', '/admin/api/tags/preview', { type: 'meta', pixel_id: '1', code: '' }],
      ['PUT', '/admin/api/tags/pause', { paused: true }],
      ['POST', `/admin/api/blocked-hosts/${pixel}/allow`, {}],
      ['DELETE', `/admin/api/blocked-hosts/${pixel}`],
    ] as const) {
      const answer = await call(method, url, body)
      expect(answer.statusCode, url).toBe(status)
      expect(answer.body).not.toContain(pixel)
    }
    caller = ADMIN
    expect((await overview()).paused).toBeNull()
  })

  test.each<[string, Record<string, string>, number]>([
    ['a navigation', { 'sec-fetch-mode': 'navigate' }, 403],
    ['another origin', { origin: 'https://evil.example.com' }, 403],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ])('%s is refused', async (_name, headers, status) => {
    const answer = await app.inject({
      method: 'PUT',
      url: '/admin/api/tags/pause',
      headers: { 'content-type': 'application/json', ...headers },
      payload: '{"paused":true}',
    })
    expect(answer.statusCode).toBe(status)
    expect((await overview()).paused).toBeNull()
  })

  test('pause stops every tag before it answers, says who, and brings them back as they were', async () => {
    await insertPixel(database.db, { type: 'meta' })
    await insertPixel(database.db, { type: 'meta', pixel_id: '9', is_active: false })
    await refreshed()
    const running = swaps.at(-1)
    expect(running).not.toBeNull()
    const paused = await call('PUT', '/admin/api/tags/pause', { paused: true })
    expect(paused.json<TagOverview>().paused).toMatchObject({ by: 'ana@portico.example' })
    expect(swaps.at(-1)).toBeNull()
    caller = { kind: 'service' }
    await call('PUT', '/admin/api/tags/pause', { paused: true })
    expect((await overview()).paused?.by).toBe('ana@portico.example')
    await call('PUT', '/admin/api/tags/pause', { paused: false })
    expect(swaps.at(-1)).toBe(running)
    expect((await overview()).paused).toBeNull()
    const trail = await database.db
      .selectFrom('audit_events')
      .select(['action', 'actor'])
      .orderBy('created_at', 'desc')
      .limit(2)
      .execute()
    expect(trail.map((event) => event.action).sort()).toEqual(['tags.pause', 'tags.resume'])
  })

  test('says how each pixel is doing', async () => {
    const fine = await insertPixel(database.db, { type: 'meta', name: 'Um' })
    const double = await insertPixel(database.db, { type: 'meta', name: 'Dois' })
    const empty = await insertPixel(database.db, { type: 'meta', pixel_id: '7', code: '' })
    await refreshed()
    const buffer = new ReportBuffer(database.db, log)
    buffer.add(fine, 'ran', null)
    buffer.add(fine, 'failed', 'Boom')
    buffer.add(double, 'blocked', null, Date.now() - 30 * 3_600_000)
    await buffer.stop()
    const { pixels } = await overview()
    const of = (id: string) => pixels.find((status) => status.pixel_id === id)
    expect(of(fine)).toMatchObject({ ran: 1, failed: 1, blocked: 0, last_error: 'Boom', runnable: true })
    expect(of(fine)?.last_ran_at).not.toBeNull()
    expect(of(fine)?.warnings).toMatchObject([{ code: 'same_id', message: expect.stringContaining('Dois') }])
    expect(of(double)).toMatchObject({ ran: 0, blocked: 0, last_ran_at: null })
    expect(of(empty)).toMatchObject({ runnable: false })

    const { hours } = (await call('GET', `/admin/api/tags/${fine}/hours`)).json()
    expect(hours).toHaveLength(24)
    expect(hours.at(-1)).toMatchObject({ ran: 1, failed: 1, blocked: 0 })
    expect(hours[0]).toMatchObject({ ran: 0 })
  })

  test('allows a host for the pixel that tried, and it is in the policy when the answer comes', async () => {
    const pixel = await insertPixel(database.db, { type: 'custom', code: '<script>var a=1</script>' })
    await refreshed()
    await noteBlockedHost(database.db, 'new.vendor.com', pixel)
    await noteBlockedHost(database.db, 'new.vendor.com', null)
    const [blocked] = (await overview()).blocked_hosts.filter((row) => row.pixel_id !== null)
    const answer = await call('POST', `/admin/api/blocked-hosts/${blocked?.id}/allow`, {})
    expect(answer.json<TagOverview>().blocked_hosts).toEqual([])
    expect(tags.current.sources).toMatchObject({ script: ['new.vendor.com'], connect: ['new.vendor.com'] })
  })

  test('a host of an unknown tag needs a pixel to be named, and one can be put aside', async () => {
    const pixel = await insertPixel(database.db, { type: 'custom', code: '<script>var a=1</script>' })
    await noteBlockedHost(database.db, 'new.vendor.com', null)
    await noteBlockedHost(database.db, 'other.vendor.com', null)
    const rows = (await overview()).blocked_hosts
    const idOf = (host: string) => rows.find((row) => row.host === host)?.id
    const allow = `/admin/api/blocked-hosts/${idOf('new.vendor.com')}/allow`
    expect((await call('POST', allow, {})).statusCode).toBe(404)
    expect((await call('POST', allow, { pixel_id: pixel })).statusCode).toBe(200)
    await call('DELETE', `/admin/api/blocked-hosts/${idOf('other.vendor.com')}`)
    expect((await overview()).blocked_hosts).toEqual([])
  })

  test('previews the code of a form, and does not take a pixel for its own double', async () => {
    const id = await insertPixel(database.db, { type: 'meta', pixel_id: '42', name: 'Principal' })
    const form = { type: 'meta', pixel_id: '42', code: generateSnippet('meta', '41') }
    const codes = async (body: object) =>
      (await call('POST', '/admin/api/tags/preview', body))
        .json()
        .warnings.map((w: { code: string }) => w.code)
    expect(await codes(form)).toEqual(['other_id', 'same_id'])
    expect(await codes({ ...form, id })).toEqual(['other_id'])
    expect((await call('POST', '/admin/api/tags/preview', { type: 'x' })).statusCode).toBe(400)
  })
})
