import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONSENT_PATH } from '#contract/consent-choice.ts'
import { TAG_SET_ATTRIBUTE, tagPath } from '#contract/tag-manifest.ts'
import { lockAccount } from '#server/auth/accounts/change-account.ts'
import { ensurePrincipal } from '#server/auth/accounts/principal.ts'
import { createAuthContext } from '#server/auth/auth.ts'
import type { AuthContext } from '#server/auth/context.ts'
import { replaceRecoveryCodes } from '#server/auth/factors/recovery-codes.ts'
import { openSession, passwordAmr } from '#server/auth/sessions/issue.ts'
import type { Db } from '#server/db/database.ts'
import { eraseSubscription, requeue } from '#server/newsletter/admin-routes.ts'
import { insertPixels } from '../support/admin-data.ts'
import { ENGINES } from '../support/engines.ts'
import { noteBlockedHost } from '../support/note-blocked-host.ts'
import { QUICK_WORK } from '../support/quick-work.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { type Answer, call } from './auth-http.ts'
import { readKeys } from './auth-keys.ts'

const WRITERS = 8

/** All start before any has finished. */
const eight = <T>(write: (writer: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))

const hostNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `h${String(index).padStart(2, '0')}.exemplo.com.br`)

function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe.each(ENGINES)('eight concurrent writers on %s', (engine) => {
  let site: TestApp
  let db: Db
  let auth: AuthContext
  let key: string
  beforeAll(async () => {
    site = await startTestApp({ engine })
    db = site.database.db
    auth = await createAuthContext(site.config, db, site.secrets, QUICK_WORK)
    key = (await readKeys(site)).service
  })
  afterAll(() => site.close())

  type Method = 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  const send = (method: Method, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    call(site, { method, path, apikey: key, bearer: key, ...(body === undefined ? {} : { body }), headers })
  const upsert = { prefer: 'resolution=merge-duplicates' }
  const pixel = (id: string, writer: number) => ({ id, name: `Pixel ${writer}`, type: 'custom', code: '' })
  const audited = async (action: string, subject: string) =>
    (
      await db
        .selectFrom('audit_events')
        .select('id')
        .where('action', '=', action)
        .where('subject', '=', subject)
        .execute()
    ).length
  const hostsOf = async (id: string) =>
    (
      await db
        .selectFrom('tracking_pixels')
        .select('allowed_hosts')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).allowed_hosts

  test('insert of one id: one succeeds, the others get a conflict', async () => {
    const id = randomUUID()
    const answers = await eight((writer) => send('POST', '/rest/v1/tracking_pixels', pixel(id, writer)))
    expect(tally(answers)).toEqual({ 201: 1, 409: WRITERS - 1 })
    expect(await audited('tracking_pixels.insert', id)).toBe(1)
  })

  test('upsert of one new id: one creates it, the others change it, none is refused', async () => {
    const id = randomUUID()
    const answers = await eight((writer) =>
      send('POST', '/rest/v1/tracking_pixels', pixel(id, writer), upsert),
    )
    expect(tally(answers)).toEqual({ 201: 1, 200: WRITERS - 1 })
    expect(await audited('tracking_pixels.insert', id)).toBe(1)
    expect(await audited('tracking_pixels.update', id)).toBe(WRITERS - 1)
  })

  test('upsert that ignores duplicates: one creates it, none is refused', async () => {
    const id = randomUUID()
    const ignore = { prefer: 'resolution=ignore-duplicates' }
    const answers = await eight((writer) =>
      send('POST', '/rest/v1/tracking_pixels', pixel(id, writer), ignore),
    )
    expect(tally(answers)).toEqual({ 201: WRITERS })
    expect(await audited('tracking_pixels.insert', id)).toBe(1)
    expect(await audited('tracking_pixels.update', id)).toBe(0)
  })

  test('upsert of many new ids in either order: all succeed', async () => {
    const ids = Array.from({ length: 12 }, () => randomUUID())
    const answers = await eight((writer) => {
      const order = writer % 2 === 0 ? ids : ids.toReversed()
      const rows = order.map((id) => pixel(id, writer))
      return send('POST', '/rest/v1/tracking_pixels', rows, upsert)
    })
    expect(tally(answers)).toEqual({ 201: 1, 200: WRITERS - 1 })
  })

  test('upsert of one new administrator by address: one account, none is refused', async () => {
    const email = `${randomUUID()}@exemplo.com.br`
    const answers = await eight((writer) =>
      send(
        'POST',
        '/rest/v1/admin_users?on_conflict=email',
        { email, password: `ponte-lilas-grafite-${writer}8`, role: 'admin' },
        upsert,
      ),
    )
    expect(tally(answers)).toEqual({ 201: 1, 200: WRITERS - 1 })
    expect(await db.selectFrom('auth_users').select('id').where('email', '=', email).execute()).toHaveLength(
      1,
    )
  })

  test('update of the same rows in either order: all succeed', async () => {
    const ids = await insertPixels(
      db,
      Array.from({ length: 6 }, () => ({})),
    )
    const answers = await eight((writer) =>
      send(
        'PATCH',
        `/rest/v1/tracking_pixels?id=in.(${ids.join(',')})&order=created_at.${writer % 2 === 0 ? 'asc' : 'desc'}`,
        { name: `Pixel ${writer}` },
      ),
    )
    expect(tally(answers)).toEqual({ 204: WRITERS })
    for (const id of ids) expect(await audited('tracking_pixels.update', id)).toBe(WRITERS)
  })

  test('update of a read version: the first wins, the others get an empty response', async () => {
    const [id = ''] = await insertPixels(db, [{}])
    const { updated_at } = await db
      .selectFrom('tracking_pixels')
      .select('updated_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const answers = await eight((writer) =>
      send(
        'PATCH',
        `/rest/v1/tracking_pixels?id=eq.${id}&updated_at=eq.${encodeURIComponent(updated_at)}`,
        { name: `Pixel ${writer}` },
        { prefer: 'return=representation' },
      ),
    )
    expect(answers.filter(({ body }) => body.length === 1)).toHaveLength(1)
    expect(await audited('tracking_pixels.update', id)).toBe(1)
  })

  test('delete of one row: it is deleted once', async () => {
    const [id = ''] = await insertPixels(db, [{}])
    const answers = await eight(() => send('DELETE', `/rest/v1/tracking_pixels?id=eq.${id}`))
    expect(tally(answers)).toEqual({ 204: WRITERS })
    expect(await audited('tracking_pixels.delete', id)).toBe(1)
  })

  test('"Permitir" of forty hosts: the pixel has all forty, and a concurrent change is kept', async () => {
    const [id = ''] = await insertPixels(db, [{ name: 'Antes' }])
    const hosts = hostNames(40)
    for (const host of hosts) await noteBlockedHost(db, host, id)
    const blocked = await db.selectFrom('blocked_hosts').select('id').where('pixel_id', '=', id).execute()
    const renaming = send('PATCH', `/rest/v1/tracking_pixels?id=eq.${id}`, { name: 'Depois' })
    const answers = await eight(async (writer) => {
      const own: Answer[] = []
      for (const [index, row] of blocked.entries())
        if (index % WRITERS === writer)
          own.push(await send('POST', `/admin/api/blocked-hosts/${row.id}/allow`, {}))
      return own
    })
    expect(tally(answers.flat())).toEqual({ 200: 40 })
    expect((await renaming).status).toBe(204)
    expect(await hostsOf(id)).toEqual(hosts)
    expect(await audited('tags.allow_host', id)).toBe(40)
  })

  test('"Permitir" of one host: it is added once, later calls get 404', async () => {
    const [id = ''] = await insertPixels(db, [{}])
    await noteBlockedHost(db, 'um.exemplo.com.br', id)
    const { id: blocked } = await db
      .selectFrom('blocked_hosts')
      .select('id')
      .where('pixel_id', '=', id)
      .executeTakeFirstOrThrow()
    const answers = await eight(() => send('POST', `/admin/api/blocked-hosts/${blocked}/allow`, {}))
    for (const { status } of answers) expect([200, 404]).toContain(status)
    expect(await hostsOf(id)).toEqual(['um.exemplo.com.br'])
  })

  test('"Revogar": one host is removed once, and of eight hosts none comes back', async () => {
    const [first = '', ...others] = hostNames(WRITERS + 1)
    const [id = ''] = await insertPixels(db, [{ allowed_hosts: [first, ...others] }])
    const revoke = (host = '') => send('DELETE', `/admin/api/tags/${id}/hosts/${host}`)
    expect(tally(await eight(() => revoke(first)))).toEqual({ 200: 1, 404: WRITERS - 1 })
    expect(tally(await eight((writer) => revoke(others[writer])))).toEqual({ 200: WRITERS })
    expect(await hostsOf(id)).toEqual([])
    expect(await audited('tags.revoke_host', id)).toBe(WRITERS + 1)
  })

  test('"Pausar todas as tags": paused once, by one', async () => {
    const count = async () =>
      (await db.selectFrom('audit_events').select('id').where('action', '=', 'tags.pause').execute()).length
    const before = await count()
    const answers = await eight(() => send('PUT', '/admin/api/tags/pause', { paused: true }))
    expect(tally(answers)).toEqual({ 200: WRITERS })
    expect(await count()).toBe(before + 1)
    await eight(() => send('PUT', '/admin/api/tags/pause', { paused: false }))
  })

  test('subscription of one address: one row, and all succeed', async () => {
    const email = `${randomUUID()}@exemplo.com.br`
    const answers = await eight((writer) =>
      call(site, { method: 'POST', path: '/api/newsletter', body: { email }, from: `198.51.${writer}.1` }),
    )
    expect(tally(answers)).toEqual({ 200: WRITERS })
    const rows = await db
      .selectFrom('newsletter_subscriptions')
      .select('id')
      .where('email', '=', email)
      .execute()
    expect(rows).toHaveLength(1)
    const erased = await eight(() => eraseSubscription(db, email, new Date()))
    expect(erased.filter(({ found }) => found)).toHaveLength(1)
    await eight(() => requeue(db, Date.now()))
  })

  test('account of one address: one is created, the others get an error', async () => {
    const email = `${randomUUID()}@exemplo.com.br`
    const body = { email, password: 'ponte-lilas-grafite-58', email_confirm: true }
    const answers = await eight(() => send('POST', '/auth/v1/admin/users', body))
    expect(tally(answers)).toEqual({ 200: 1, 422: WRITERS - 1 })
    const { id } = answers.find(({ status }) => status === 200)?.body ?? {}
    const removed = await eight(() => send('DELETE', `/auth/v1/admin/users/${id}`))
    expect(tally(removed)).toEqual({ 200: 1, 404: WRITERS - 1 })
  })

  test('first start of eight processes: one account, and one of them announces its password', async () => {
    const { email } = site.config.principal
    await db.deleteFrom('auth_users').where('email', '=', email).execute()
    const passwords = await eight(() => ensurePrincipal(auth))
    const found = await db.selectFrom('auth_users').select('id').where('email', '=', email).execute()
    expect(found).toHaveLength(1)
    expect(passwords.filter((password) => password !== null).length).toBeLessThanOrEqual(1)
  })

  test('sign-in of one person: everyone gets a separate session', async () => {
    const { anon } = await readKeys(site)
    const path = '/auth/v1/token?grant_type=password'
    const answers = await eight((writer) =>
      call(site, { method: 'POST', path, apikey: anon, body: PRINCIPAL, from: `203.0.${writer}.1` }),
    )
    expect(tally(answers)).toEqual({ 200: WRITERS })
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(WRITERS)
  })

  test('consent record: each is stored', async () => {
    const record = {
      id: randomUUID(),
      action: 'accept_all',
      categories: [],
      text_version: 1,
      tag_set_version: 'x',
    }
    const answers = await eight((writer) =>
      call(site, { method: 'POST', path: CONSENT_PATH, body: record, from: `192.0.${writer}.1` }),
    )
    const rows = await db
      .selectFrom('consent_records')
      .select('id')
      .where('consent_id', '=', record.id)
      .execute()
    expect(rows).toHaveLength(answers.filter(({ status }) => status === 204).length)
    expect(tally(answers)).toEqual({ 204: WRITERS })
  })

  test('report of one blocked host: one row that counts them all', async () => {
    const [id = ''] = await insertPixels(db, [{}])
    await noteBlockedHost(db, 'contado.exemplo.com.br', id)
    await eight(() => noteBlockedHost(db, 'contado.exemplo.com.br', id))
    const rows = await db.selectFrom('blocked_hosts').select('count').where('pixel_id', '=', id).execute()
    expect(rows).toEqual([{ count: WRITERS + 1 }])
  })

  test('new recovery codes: ten are valid in the end, those of one writer', async () => {
    const user = await db.selectFrom('auth_users').selectAll().executeTakeFirstOrThrow()
    const at = new Date().toISOString()
    await db
      .insertInto('auth_factors')
      .values({
        id: crypto.randomUUID(),
        user_id: user.id,
        friendly_name: '',
        factor_type: 'totp',
        status: 'verified',
        secret: '',
        created_at: at,
        updated_at: at,
      })
      .execute()
    const session = await openSession(auth, await lockAccount(db, { userId: user.id }), {
      loginId: null,
      aal: 'aal2',
      amr: passwordAmr(),
      userAgent: '',
    })
    await eight(() => replaceRecoveryCodes(auth, { userId: user.id, sessionId: session.sessionId }))
    const codes = await db
      .selectFrom('auth_recovery_codes')
      .select('id')
      .where('user_id', '=', user.id)
      .execute()
    expect(codes).toHaveLength(10)
  })
})

describe('eight processes on one PostgreSQL', () => {
  const processes: TestApp[] = []
  beforeAll(async () => {
    const first = await startTestApp({ engine: 'postgres', listen: true })
    processes.push(first)
    while (processes.length < WRITERS) processes.push(await startTestApp({ beside: first, listen: true }))
  })
  afterAll(async () => {
    for (const each of processes.reverse()) await each.close()
  })

  test('accept every change of pixels that they get at once, and show the same in the end', async () => {
    const [first] = processes as [TestApp]
    const { service } = await readKeys(first)
    const ids = await insertPixels(
      first.database.db,
      Array.from({ length: WRITERS }, (_, writer) => ({
        type: 'custom' as const,
        pixel_id: null,
        code: `<script>window.n${writer} = 1</script>`,
        is_active: false,
      })),
    )
    const answers: Answer[] = []
    for (const is_active of [true, false, true, false, true])
      answers.push(
        ...(await eight((writer) =>
          call(processes[writer] as TestApp, {
            method: 'PATCH',
            path: `/rest/v1/tracking_pixels?id=eq.${ids[writer]}`,
            apikey: service,
            bearer: service,
            body: { is_active },
          }),
        )),
      )
    expect(tally(answers)).toEqual({ 204: 5 * WRITERS })
    const setOf = async ({ url }: TestApp) =>
      new RegExp(`${TAG_SET_ATTRIBUTE}="?([\\w-]+)`).exec(await (await fetch(url)).text())?.[1]
    const manifestOf = async (site: TestApp) =>
      (await fetch(`${site.url}${tagPath((await setOf(site)) ?? '')}`)).text()
    await expect
      .poll(async () => new Set(await Promise.all(processes.map(setOf))).size, { timeout: 30_000 })
      .toBe(1)
    for (const site of processes) {
      const manifest = await manifestOf(site)
      expect(ids.filter((id) => manifest.includes(id))).toEqual(ids)
    }
  })
})
