import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { TABLE_NAMES } from '#server/db/schema/index.ts'
import { appRoutes } from '../support/app-routes.ts'
import { beforeTransaction } from '../support/before-transaction.ts'
import { prepareEventSite, prepareVendorsAndMail } from '../support/event-site.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { noteBlockedHost } from '../support/note-blocked-host.ts'

const surroundings = prepareVendorsAndMail()

/**
 * Every route of `/admin/api` that changes something asks again, inside its transaction, whether its caller may still do
 * so: between the check of the request and the transaction, another administrator removes the role or ends the session.
 */
describe('a caller who loses access before the transaction', () => {
  const site = prepareEventSite('sqlite', surroundings)
  const db = () => site.database.db
  let anon: string
  beforeAll(() => {
    anon = String(site.headers.apikey)
  })

  interface Administrator {
    id: string
    loginId: string
    headers: Record<string, string>
  }

  const PASSWORD = 'janela-verde-oceano-41'
  const signIn = async (): Promise<Administrator> => {
    const email = `pessoa-${randomUUID()}@exemplo.com.br`
    const made = await site.app.inject({
      method: 'POST',
      url: '/rest/v1/admin_users',
      headers: site.headers,
      payload: { email, password: PASSWORD, role: 'super_admin' },
    })
    expect(made.statusCode, made.body).toBe(201)
    const login = await site.app.inject({
      method: 'POST',
      url: '/auth/v1/token?grant_type=password',
      headers: { apikey: anon },
      payload: { email, password: PASSWORD },
    })
    expect(login.statusCode, login.body).toBe(200)
    const { access_token, user } = login.json()
    const session = await db()
      .selectFrom('auth_sessions')
      .select('id')
      .where('user_id', '=', user.id)
      .executeTakeFirstOrThrow()
    return {
      id: user.id,
      loginId: session.id,
      headers: { apikey: anon, authorization: `Bearer ${access_token}` },
    }
  }

  /** Somebody with a second factor, shown. */
  const withFactor = async ({ id }: Administrator) => {
    const at = new Date().toISOString()
    await db()
      .insertInto('auth_factors')
      .values({
        id: randomUUID(),
        user_id: id,
        friendly_name: '',
        factor_type: 'totp',
        status: 'verified',
        secret: 'x',
        created_at: at,
        updated_at: at,
      })
      .execute()
    await db().updateTable('auth_sessions').set({ aal: 'aal2' }).where('user_id', '=', id).execute()
  }

  const at = '2026-01-01T00:00:00.000Z'
  const custom = () => insertPixel(db(), { type: 'custom', code: '<script>a()</script>' })
  const blocked = async () => {
    const host = `${randomUUID()}.example`
    await noteBlockedHost(db(), host, await custom())
    const row = await db()
      .selectFrom('blocked_hosts')
      .select('id')
      .where('host', '=', host)
      .executeTakeFirstOrThrow()
    return row.id
  }
  const stopped = async () => {
    const { id } = await site.add('hook')
    await db()
      .insertInto('delivery_stops')
      .values({ pixel_id: id, code: 'x', message: 'x', stopped_at: at })
      .execute()
    return id
  }
  const failedSubscription = async () => {
    const [id, email] = [randomUUID(), `${randomUUID()}@exemplo.com.br`]
    await db()
      .insertInto('newsletter_subscriptions')
      .values({
        id,
        email,
        status: 'failed',
        attempts: 9,
        delivery_key: randomUUID(),
        next_attempt_at: at,
        leased_until: null,
        last_error: null,
        created_at: at,
        delivered_at: null,
      })
      .execute()
    return { id, email }
  }

  const connectChat = () =>
    db()
      .insertInto('alert_webhooks')
      .values({
        name: 'alerts',
        format: 'json',
        url: 'x',
        kinds: '[]',
        changed_at: at,
        tried_at: null,
        last_error: null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()

  interface Call {
    path: string
    body?: object
  }
  /** What each writing route is asked for, with something that it would change. */
  const WRITES: Record<string, (who: Administrator) => Promise<Call>> = {
    'PUT /admin/api/alerts': async () => ({ path: '/alerts', body: { kinds: ['broken'] } }),
    'PUT /admin/api/alerts/webhook': async () => ({
      path: '/alerts/webhook',
      body: { url: 'https://chat.example.com/x', format: 'json', kinds: ['broken'] },
    }),
    'DELETE /admin/api/alerts/webhook': async () => {
      await connectChat()
      return { path: '/alerts/webhook' }
    },
    'POST /admin/api/alerts/webhook/test': async () => {
      await connectChat()
      return { path: '/alerts/webhook/test', body: {} }
    },
    'DELETE /admin/api/logins/:id': async ({ loginId }) => ({ path: `/logins/${loginId}` }),
    'POST /admin/api/recovery-codes': async (who) => {
      await withFactor(who)
      return { path: '/recovery-codes' }
    },
    'POST /admin/api/recovery-codes/use': async (who) => {
      await withFactor(who)
      return { path: '/recovery-codes/use', body: { code: 'aaaa-bbbb-cccc' } }
    },
    'POST /admin/api/pixels/:id/deliveries/retry': async () => ({
      path: `/pixels/${await stopped()}/deliveries/retry`,
      body: {},
    }),
    'POST /admin/api/pixels/:id/check': async () => ({ path: `/pixels/${await stopped()}/check`, body: {} }),
    'POST /admin/api/subscriptions/retry': async () => {
      await failedSubscription()
      return { path: '/subscriptions/retry', body: {} }
    },
    'POST /admin/api/subscriptions/erase': async () => ({
      path: '/subscriptions/erase',
      body: { email: (await failedSubscription()).email },
    }),
    'POST /admin/api/clock/confirm': async () => ({ path: '/clock/confirm', body: {} }),
    'POST /admin/api/trash/:id/restore': async () => {
      const id = await custom()
      await db()
        .updateTable('tracking_pixels')
        .set({ is_active: false, active_when_deleted: true, deleted_at: at, deleted_by: 'x' })
        .where('id', '=', id)
        .execute()
      return { path: `/trash/${id}/restore`, body: {} }
    },
    'POST /admin/api/pixels/:id/restore': async () => {
      const { id } = await site.add('hook')
      const event = await db()
        .selectFrom('audit_events')
        .select('id')
        .where('subject', '=', id)
        .executeTakeFirstOrThrow()
      await site.patch(id, { name: 'Outro' })
      return { path: `/pixels/${id}/restore`, body: { version: event.id } }
    },
    'POST /admin/api/outcomes/names': async () => ({
      path: '/outcomes/names',
      body: { name: 'primeira_venda', label: 'Primeira venda' },
    }),
    'PUT /admin/api/outcomes/names/:id': async () => {
      const name = `n${randomUUID().replaceAll('-', '')}`
      await db().insertInto('outcome_names').values({ name, label: 'Antes', created_at: at }).execute()
      return { path: `/outcomes/names/${name}`, body: { label: 'Depois' } }
    },
    'PUT /admin/api/outcomes/names/:id/destinations/:id': async () => {
      const name = `n${randomUUID().replaceAll('-', '')}`
      await db().insertInto('outcome_names').values({ name, label: 'Antes', created_at: at }).execute()
      const { id } = await site.add('meta')
      return {
        path: `/outcomes/names/${name}/destinations/${id}`,
        body: { event: 'Lead', sends_value: false },
      }
    },
    'POST /admin/api/outcomes/keys': async () => ({
      path: '/outcomes/keys',
      body: { name: 'Cadastro', mode: 'live' },
    }),
    'DELETE /admin/api/outcomes/keys/:id': async () => {
      const [id, key_hash] = [randomUUID(), randomUUID()]
      const made = { created_at: at, created_by: 'x', last_used_at: null }
      await db()
        .insertInto('outcome_keys')
        .values({ id, key_hash, name: id, mode: 'live', hint: 'x', ...made })
        .execute()
      return { path: `/outcomes/keys/${id}` }
    },
    'PUT /admin/api/tags/pause': async () => ({ path: '/tags/pause', body: { paused: true } }),
    'POST /admin/api/pixels/:id/rearm': async () => {
      const pixel_id = await custom()
      const counts = { visits: 60, failed: 40, tripped_at: at }
      await db()
        .insertInto('tag_breakers')
        .values({ pixel_id, revision: 'r', state: 'paused', reason: 'failing', ...counts })
        .execute()
      return { path: `/pixels/${pixel_id}/rearm`, body: {} }
    },
    'POST /admin/api/blocked-hosts/:id/allow': async () => ({
      path: `/blocked-hosts/${await blocked()}/allow`,
      body: {},
    }),
    'POST /admin/api/blocked-hosts/allow': async () => ({
      path: '/blocked-hosts/allow',
      body: { ids: [await blocked()] },
    }),
    'DELETE /admin/api/tags/:id/hosts/:host': async () => {
      const id = await insertPixel(db(), { type: 'custom', code: '', allowed_hosts: ['a.example'] })
      return { path: `/tags/${id}/hosts/a.example` }
    },
    'DELETE /admin/api/blocked-hosts/:id': async () => ({ path: `/blocked-hosts/${await blocked()}` }),
    'POST /admin/api/pixels/:id/tests': async () => ({
      path: `/pixels/${(await site.add('both')).id}/tests`,
      body: {},
    }),
  }

  /** These calculate an answer and store nothing. */
  const READS = [
    'POST /admin/api/pixels/check',
    'POST /admin/api/pixels/:id/compare',
    'POST /admin/api/tags/preview',
  ]

  /** A person's own account: a role is not needed. */
  const OWN_ACCOUNT = [
    'DELETE /admin/api/logins/:id',
    'POST /admin/api/recovery-codes',
    'POST /admin/api/recovery-codes/use',
  ]

  test('the table has every registered route that is no GET', () => {
    const names = appRoutes(site.app, ':id')
      .filter(({ method, path }) => path.startsWith('/admin/api/') && !['GET', 'HEAD'].includes(method))
      .map(({ method, path }) => `${method} ${path.replace('hosts/:id', 'hosts/:host')}`)
      .map((name) => name.replace('blocked-hosts/:host', 'blocked-hosts/:id'))
    expect(names.sort()).toEqual([...Object.keys(WRITES), ...READS].sort())
  })

  /** Written by timers of the app, when it serves a changed page, or by the second administrator. */
  const OTHERS: readonly string[] = [
    'admin_roles',
    'auth_sessions',
    'auth_logins',
    'rate_limits',
    'rate_windows',
    'tag_changes',
    'counts',
    'readiness',
    'compiled_tags',
    'served_state',
    'served_headers',
    'tag_periods',
    'script_files',
    'consent_parties',
    'consent_notices',
  ]
  const TABLES = TABLE_NAMES.filter((table) => !OTHERS.includes(table))

  const readAll = async () => {
    const rows: Record<string, unknown[]> = {}
    for (const table of TABLES) {
      const query = db().selectFrom(table).selectAll()
      // Mails are sent, and new pixels compiled, while the test runs.
      rows[table] = (await query.execute())
        .map((row): Record<string, unknown> => ({ ...row, tags_version: null }))
        .filter((row) => table !== 'deliveries' || row.pixel_id !== null)
    }
    return rows
  }

  const REMOVALS: Record<string, (who: Administrator) => Promise<unknown>> = {
    'loses the role': ({ id }) => db().deleteFrom('admin_roles').where('user_id', '=', id).execute(),
    'is signed out': ({ id }) => db().deleteFrom('auth_sessions').where('user_id', '=', id).execute(),
  }

  const cases = Object.keys(WRITES).flatMap((route) =>
    Object.keys(REMOVALS)
      .filter((removal) => removal === 'is signed out' || !OWN_ACCOUNT.includes(route))
      .map((removal) => [route, removal] as const),
  )

  test.each(cases)('%s writes nothing for somebody who %s', async (route, removal) => {
    const who = await signIn()
    const { path, body } = await (WRITES[route] as (typeof WRITES)[string])(who)
    const before = await readAll()
    const answer = await beforeTransaction(
      db(),
      async () =>
        await site.app.inject({
          method: route.split(' ')[0] as 'POST',
          url: `/admin/api${path}`,
          headers: who.headers,
          ...(body === undefined ? {} : { payload: body }),
        }),
      () => REMOVALS[removal]?.(who) ?? Promise.reject(new Error('no such removal')),
    )
    expect(answer.statusCode, answer.body).toBe(
      removal === 'loses the role' || OWN_ACCOUNT.includes(route) ? 403 : 401,
    )
    expect(await readAll()).toEqual(before)
  })
})
