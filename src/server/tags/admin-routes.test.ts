import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { PERMIT_SINGLY, type TagHour, type TagOverview, type TagPreview } from '#contract/tag-status.ts'
import { registerAdminApiPart } from '#tests/support/admin-api.ts'
import { makeDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { noteBlockedHost } from '#tests/support/note-blocked-host.ts'
import type { Database } from '../db/database.ts'
import { registerErrors } from '../http/errors.ts'
import { createLogger } from '../http/logging/logger.ts'
import type { Caller } from '../http/security/administrators.ts'
import { Stats } from '../stats/counts.ts'
import { registerTagAdmin } from './admin-routes.ts'
import { TagCompiler } from './compile/compiler.ts'
import { LastSeen } from './health/last-seen.ts'
import { TagStore } from './serve/tag-store.ts'
import { raiseTagsVersion } from './serve/tag-version.ts'

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

describe.each(TIER_ENGINES)('/admin/api for tags, on %s', (engine) => {
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
    await registerAdminApiPart(app, {
      caller: () => caller,
      register: (scope) =>
        registerTagAdmin(scope, {
          db: database.db,
          tags,
          compiler,
          ownHosts: OWN,
          measureHead: () => 0,
          countsVisits: true,
          countSubscriptions: async () => ({ counts: [], first: null }),
        }),
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
    await raiseTagsVersion(database.db)
    await tags.refresh()
    swaps = []
  })
  /** Reads, compiles and serves what another process wrote. */
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
  ])('refuses %s', async (_name, who, status) => {
    const pixel = await insertPixel(database.db, { type: 'meta' })
    caller = who
    for (const [method, url, body] of [
      ['GET', '/admin/api/tags'],
      ['GET', `/admin/api/tags/${pixel}/hours`],
      ['POST', '/admin/api/tags/preview', { type: 'meta', pixel_id: '1', code: '' }],
      ['PUT', '/admin/api/tags/pause', { paused: true }],
      ['POST', `/admin/api/blocked-hosts/${pixel}/allow`, {}],
      ['POST', '/admin/api/blocked-hosts/allow', { ids: [pixel] }],
      ['DELETE', `/admin/api/blocked-hosts/${pixel}`],
      ['GET', `/admin/api/tags/${pixel}/hosts`],
      ['DELETE', `/admin/api/tags/${pixel}/hosts/a.vendor.com`],
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
  ])('refuses to %s', async (_name, headers, status) => {
    const answer = await app.inject({
      method: 'PUT',
      url: '/admin/api/tags/pause',
      headers: { 'content-type': 'application/json', ...headers },
      payload: '{"paused":true}',
    })
    expect(answer.statusCode).toBe(status)
    expect((await overview()).paused).toBeNull()
  })

  test('keeps a verification meta in the HTML while everything is paused, and health says so', async () => {
    const meta = '<meta name="google-site-verification" content="abc123" />'
    const verification = await insertPixel(database.db, { type: 'custom', code: meta })
    await insertPixel(database.db, { type: 'meta' })
    await refreshed()
    await call('PUT', '/admin/api/tags/pause', { paused: true })
    expect(tags.current).toMatchObject({ version: null, tags: [], head: [{ content: 'abc123' }] })
    const { pixels } = await overview()
    const { health, reasons } = pixels.find(({ pixel_id }) => pixel_id === verification) ?? {}
    expect([health, reasons?.[0]?.code]).toEqual(['working', 'in_page'])
  })

  test('pauses every tag before it answers, says who did it, and resumes them unchanged', async () => {
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

  test('returns the health of each pixel', async () => {
    const fine = await insertPixel(database.db, { type: 'meta', name: 'Um' })
    const double = await insertPixel(database.db, { type: 'meta', name: 'Dois' })
    const empty = await insertPixel(database.db, { type: 'meta', pixel_id: '7', code: '' })
    await refreshed()
    const stats = new Stats(database.db, log)
    const lastSeen = new LastSeen(database.db, log)
    stats.add({ series: 'tag.result', subject: fine, key: 'ran' })
    stats.add({ series: 'tag.result', subject: fine, key: 'failed' })
    lastSeen.add(fine, { ran: true, error: null })
    lastSeen.add(fine, { ran: false, error: 'Boom' })
    const before = Date.now() - 30 * 3_600_000
    stats.add({ series: 'tag.result', subject: double, key: 'blocked', at: before })
    lastSeen.add(double, { ran: false, error: 'Antigo' }, before)
    const lastYear = Date.now() - 400 * 86_400_000
    lastSeen.add(empty, { ran: true, error: null }, lastYear)
    await stats.stop()
    await lastSeen.stop()
    const { pixels } = await overview()
    const of = (id: string) => pixels.find((status) => status.pixel_id === id)
    expect(of(fine)).toMatchObject({ ran: 1, failed: 1, blocked: 0, last_error: 'Boom', runnable: true })
    expect(of(fine)?.last_ran_at).not.toBeNull()
    expect(of(fine)?.warnings).toMatchObject([{ code: 'same_id', message: expect.stringContaining('Dois') }])
    expect(of(double)).toMatchObject({ ran: 0, blocked: 0, last_ran_at: null, last_error: null })
    // A tag that ran long ago is not shown as never run.
    expect(of(empty)).toMatchObject({ runnable: false, last_ran_at: new Date(lastYear).toISOString() })

    const { hours } = (await call('GET', `/admin/api/tags/${fine}/hours`)).json<{ hours: TagHour[] }>()
    expect(hours).toHaveLength(24)
    const sum = (column: 'ran' | 'failed' | 'blocked') =>
      // The last two hours: a new one may have begun since the reports.
      hours.slice(-2).reduce((total, hour) => total + hour[column], 0)
    expect([sum('ran'), sum('failed'), sum('blocked')]).toEqual([1, 1, 0])
    expect(hours[0]).toMatchObject({ ran: 0 })
  })

  test('permits a host for the pixel that tried, and the policy has it before the response', async () => {
    const pixel = await insertPixel(database.db, { type: 'custom', code: '<script>var a=1</script>' })
    await refreshed()
    await noteBlockedHost(database.db, 'new.vendor.com', pixel)
    await noteBlockedHost(database.db, 'new.vendor.com', null)
    const [blocked] = (await overview()).blocked_hosts.filter((row) => row.pixel_id !== null)
    const answer = await call('POST', `/admin/api/blocked-hosts/${blocked?.id}/allow`, {})
    expect(answer.json<TagOverview>().blocked_hosts).toEqual([])
    expect(tags.current.sources).toMatchObject({
      script: ['new.vendor.com'],
      connect: ['new.vendor.com', 'wss://new.vendor.com'],
    })
  })

  test('requires a pixel for a host of an unknown tag, and ignores a host', async () => {
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

  test('previews the code of a form, without reporting the pixel as its own duplicate', async () => {
    const id = await insertPixel(database.db, { type: 'meta', pixel_id: '42', name: 'Principal' })
    await refreshed()
    const form = { type: 'meta', pixel_id: '42', code: generateSnippet('meta', '41') }
    const codes = async (body: object) =>
      (await call('POST', '/admin/api/tags/preview', body))
        .json()
        .warnings.map((w: { code: string }) => w.code)
    expect(await codes(form)).toEqual(['other_id', 'same_id'])
    expect(await codes({ ...form, id })).toEqual(['other_id'])
    expect((await call('POST', '/admin/api/tags/preview', { type: 'x' })).statusCode).toBe(400)
    // The limit counts stored bytes; this has 100,002.
    const long = { type: 'custom', pixel_id: null, code: 'ç'.repeat(50_001) }
    expect((await call('POST', '/admin/api/tags/preview', long)).statusCode).toBe(400)
  })

  const LINKEDIN = `<script>_linkedin_partner_id = "1234567"; load("https://snap.licdn.com/li.lms-analytics/insight.min.js")</script>`

  test('groups blocked hosts by vendor and pixel, and permits a group with one click', async () => {
    const { db } = database
    const [one = '', two = ''] = [
      await insertPixel(db, { type: 'custom', name: 'LI 1', code: LINKEDIN }),
      await insertPixel(db, { type: 'custom', name: 'LI 2', code: LINKEDIN.replace('1234567', '7654321') }),
    ]
    await refreshed()
    for (const host of ['p.adsymptotic.com', 'gw.linkedin.oribi.io', 'new.linkedin.com', 'cdn.jsdelivr.net'])
      for (const id of host === 'cdn.jsdelivr.net' ? [null] : [one, two])
        await noteBlockedHost(db, host, id, tags.prepared.get(id ?? '')?.codeHash)
    await noteBlockedHost(db, 'static.criteo.net', null)
    const { blocked_hosts, blocked_groups, pixels } = await overview()
    const of = (host: string) => blocked_hosts.find((row) => row.host === host)
    expect(of('p.adsymptotic.com')).toMatchObject({ permit: 'set', vendor: { id: 'linkedin-insight' } })
    expect(of('new.linkedin.com')).toMatchObject({ permit: 'single', vendor: { id: 'linkedin-insight' } })
    expect(of('cdn.jsdelivr.net')).toMatchObject({ permit: 'shared', pixel_ids: [] })
    expect(of('static.criteo.net')).toMatchObject({ permit: 'single', vendor: { id: null, name: 'Criteo' } })
    const group = blocked_groups.find(({ vendor }) => vendor?.id === 'linkedin-insight')
    expect(group?.pixel_ids.sort()).toEqual([one, two].sort())
    expect(group?.message).toContain('LinkedIn')
    expect(pixels.find(({ pixel_id }) => pixel_id === one)?.reasons.map(({ host }) => host)).toContain(
      'new.linkedin.com',
    )

    const ids = (hosts: string[]) => hosts.map((host) => of(host)?.id)
    const refused = await call('POST', '/admin/api/blocked-hosts/allow', {
      ids: ids(['p.adsymptotic.com', 'new.linkedin.com']),
    })
    expect(refused.statusCode).toBe(409)
    expect(refused.body).toContain(PERMIT_SINGLY)
    const permitted = await call('POST', '/admin/api/blocked-hosts/allow', { ids: group?.permit_ids ?? [] })
    expect(permitted.statusCode).toBe(200)
    for (const id of [one, two]) {
      const { hosts } = (await call('GET', `/admin/api/tags/${id}/hosts`)).json()
      expect(hosts).toContainEqual(
        expect.objectContaining({
          host: 'p.adsymptotic.com',
          source: 'permitted',
          by: 'ana@portico.example',
        }),
      )
      expect(hosts).toContainEqual({ host: 'px.ads.linkedin.com', directive: 'img', source: 'vendor' })
    }
    expect(tags.current.sources.image).toContain('gw.linkedin.oribi.io')

    const revoke = (host: string) => call('DELETE', `/admin/api/tags/${one}/hosts/${host}`)
    expect((await revoke('px.ads.linkedin.com')).statusCode).toBe(404)
    expect((await revoke('p.adsymptotic.com')).statusCode).toBe(200)
    // The other pixel has its own permission.
    expect(tags.current.sources.image).toContain('p.adsymptotic.com')
    expect((await call('DELETE', `/admin/api/tags/${two}/hosts/p.adsymptotic.com`)).statusCode).toBe(200)
    expect(tags.current.sources.image).not.toContain('p.adsymptotic.com')
    const actions = await db.selectFrom('audit_events').select('action').where('subject', '=', one).execute()
    expect(actions.map(({ action }) => action).sort()).toEqual(['tags.allow_host', 'tags.revoke_host'])
  })

  test('recognises pasted code, an ID alone, and a duplicate inside another pixel’s code', async () => {
    await insertPixel(database.db, { type: 'custom', name: 'Outro', code: LINKEDIN })
    await refreshed()
    const preview = async (code: string, more: object = {}) =>
      (
        await call('POST', '/admin/api/tags/preview', { type: 'custom', pixel_id: null, code, ...more })
      ).json<TagPreview>()
    const linkedin = await preview(LINKEDIN)
    expect(linkedin.recognised).toMatchObject({
      vendor: 'linkedin-insight',
      id: '1234567',
      type: 'custom',
      category: 'marketing',
      code: null,
    })
    expect(linkedin.warnings).toMatchObject([{ code: 'same_id', message: expect.stringContaining('Outro') }])
    expect(linkedin.labels.map(({ conversion }) => conversion)).toEqual(['lead', 'contact', 'sign_up'])
    expect(linkedin.sends[1]).toContain('não enviada para LinkedIn Insight Tag: falta o rótulo')
    const labelled = await preview(LINKEDIN, { conversion_labels: { lead: '998877' } })
    expect(labelled.sends[1]).not.toContain('falta o rótulo')
    expect((await preview(generateSnippet('meta', '123456789012345'))).recognised).toMatchObject({
      type: 'meta',
      id: '123456789012345',
    })
    for (const [id, type] of [
      ['G-ABC1234567', 'google_analytics'],
      ['GTM-ABC1234', 'google_tag_manager'],
      ['123456789012345', 'meta'],
    ] as const) {
      const { recognised } = await preview(` ${id}\n`)
      expect(recognised).toMatchObject({ type, id, code: generateSnippet(type, id) })
    }
    expect((await preview('<script>var a = 1</script>')).recognised).toBeNull()
  })
})
