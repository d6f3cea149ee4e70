import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ActivityPage } from '#contract/activity.ts'
import { registerAdminApiPart } from '#tests/support/admin-api.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { runSweeps } from '../db/sweep.ts'
import { registerErrors } from '../http/errors.ts'
import type { Caller } from '../http/security/administrators.ts'
import { registerActivity } from './admin-routes.ts'
import { recordAudit } from './trail.ts'

const ADMIN: Caller = {
  kind: 'user',
  userId: '00000000-0000-4000-8000-000000000001',
  email: 'marina@exemplo.com.br',
  sessionId: '00000000-0000-4000-8000-0000000000aa',
  role: 'admin',
  aal: 'aal1',
  needsSecondFactor: false,
}
const MARINA = { actor_id: ADMIN.userId, actor: ADMIN.email }
const START = Date.UTC(2026, 0, 1)

describe.each(ENGINES)('activity, on %s', (engine) => {
  let database: TestDatabase
  let app: FastifyInstance
  let caller: Caller
  beforeAll(async () => {
    database = await makeDatabase(engine)
    app = Fastify()
    runSweeps(app, database.db)
    registerErrors(app, { 404: '', 500: '' }, () => 'service')
    const retention = { auditDays: 730, failedLoginDays: 90 }
    await registerAdminApiPart(app, {
      caller: () => caller,
      register: (scope) => registerActivity(scope, { db: database.db, retention }),
    })
  })
  afterAll(async () => {
    await app.close()
    await database.close()
  })
  beforeEach(async () => {
    caller = ADMIN
    await database.db.deleteFrom('audit_events').execute()
  })

  let seconds = 0
  const record = (entry: Parameters<typeof recordAudit>[1]) =>
    recordAudit(database.db, entry, new Date(START + seconds++ * 1000))
  const get = (query = '') => app.inject({ url: `/admin/api/activity${query}` })
  const list = async (query = '') => (await get(query)).json<ActivityPage>()
  const sentences = async (query = '') => (await list(query)).events.map(({ by, text }) => `${by} ${text}`)

  test('is for administrators of either role only', async () => {
    await record({ ...MARINA, action: 'tags.pause' })
    for (const [who, status] of [
      [{ kind: 'guest' }, 401],
      [{ kind: 'anon' }, 401],
      [{ ...ADMIN, role: null }, 403],
      [{ ...ADMIN, needsSecondFactor: true }, 403],
      [ADMIN, 200],
      [{ ...ADMIN, role: 'super_admin' }, 200],
    ] as [Caller, number][]) {
      caller = who
      for (const path of ['', '/export']) {
        const answer = await get(path)
        expect(answer.statusCode).toBe(status)
        if (status !== 200) expect(answer.body).not.toContain('marina@')
      }
    }
  })

  test('says who did what, newest first, and how long it is kept', async () => {
    const { db } = database
    const pixel = await insertPixel(db, { type: 'meta', name: 'Loja' })
    const row = { id: pixel, name: 'Loja', code: 'x', is_active: true, updated_at: '1' }
    await record({ ...MARINA, action: 'auth.signed_in', subject: randomUUID() })
    await record({ ...MARINA, action: 'tracking_pixels.insert', subject: pixel, after: row })
    await record({
      ...MARINA,
      action: 'tracking_pixels.update',
      subject: pixel,
      before: row,
      after: { ...row, is_active: false, updated_at: '2' },
    })
    await record({
      actor_id: null,
      actor: 'service key',
      action: 'tags.allow_host',
      subject: pixel,
      before: { allowed_hosts: ['a.com'] },
      after: { allowed_hosts: ['a.com', 'b.com'] },
    })
    await record({
      ...MARINA,
      action: 'tracking_pixels.delete',
      subject: randomUUID(),
      before: { ...row, name: 'Antigo' },
    })
    await record({
      ...MARINA,
      action: 'user.created',
      subject: randomUUID(),
      after: { email: 'bia@exemplo.com.br', role: 'admin' },
    })
    await record({ actor_id: null, actor: 'command line', action: 'auth.keys_rotated' })
    await record({ actor_id: null, actor: 'ana@exemplo.com.br', action: 'auth.sign_in_failed' })
    // What earlier versions stored of typed text.
    for (const actor of ['command line', 'ana@exemplo.com.br\u202e\n excluiu o pixel Loja'])
      await record({ actor_id: null, actor, action: 'auth.sign_in_failed' })
    const page = await list()
    expect(page.events.map(({ by, text }) => `${by} ${text}`)).toEqual([
      'Alguém tentou entrar sem um e-mail válido e não conseguiu',
      'Alguém tentou entrar sem um e-mail válido e não conseguiu',
      'Alguém tentou entrar como ana@exemplo.com.br e não conseguiu',
      'Alguém com acesso ao servidor alterou a chave que assina os logins',
      'marina@exemplo.com.br criou a conta de bia@exemplo.com.br',
      'marina@exemplo.com.br excluiu o pixel Antigo',
      'Sistema integrado (chave de serviço) permitiu o domínio b.com no pixel Loja',
      'marina@exemplo.com.br desativou o pixel Loja',
      'marina@exemplo.com.br adicionou o pixel Loja',
      'marina@exemplo.com.br entrou',
    ])
    expect(page.events.map(({ pixel_id }) => pixel_id)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      pixel,
      pixel,
      pixel,
      undefined,
    ])
    expect(page).toMatchObject({ next: null, kept_days: 730, failed_login_days: 90 })
    expect(await sentences('?kind=sign_ins')).toEqual([
      'Alguém tentou entrar sem um e-mail válido e não conseguiu',
      'Alguém tentou entrar sem um e-mail válido e não conseguiu',
      'Alguém tentou entrar como ana@exemplo.com.br e não conseguiu',
      'marina@exemplo.com.br entrou',
    ])
    expect(await sentences('?by=service%20key')).toEqual([
      'Sistema integrado (chave de serviço) permitiu o domínio b.com no pixel Loja',
    ])
    // Searched as it reads: by any word, without accents.
    expect(await sentences('?search=NAO%20ana')).toEqual([
      'Alguém tentou entrar como ana@exemplo.com.br e não conseguiu',
    ])
    expect(await sentences('?search=loja&by=marina%40exemplo.com.br')).toHaveLength(2)
    expect((await get('?kind=outro')).statusCode).toBe(400)
    const id = '0b6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d3e'
    for (const cursor of [
      'ontem',
      `2026-11-15T12:00:00.000Z_${'-'.repeat(36)}`,
      `0000-01-01T00:00:00.000Z_${id}`,
      `2026-02-30T00:00:00.000Z_${id}`,
    ])
      expect((await get(`?before=${cursor}`)).statusCode, cursor).toBe(400)
  })

  test('distinguishes a restore from a creation, and names pixels in the trash', async () => {
    const { db } = database
    const pixel = await insertPixel(db, { type: 'meta', name: 'Loja' })
    const row = { id: pixel, name: 'Loja', code: 'x', is_active: true, updated_at: '1' }
    await record({ ...MARINA, action: 'tracking_pixels.insert', subject: pixel, after: row })
    await record({ ...MARINA, action: 'tags.test', subject: pixel })
    await record({ ...MARINA, action: 'tracking_pixels.delete', subject: pixel, before: row })
    await record({ ...MARINA, action: 'tracking_pixels.insert', subject: pixel, after: row })
    const deleted_at = new Date(START).toISOString()
    await db.updateTable('tracking_pixels').set({ deleted_at }).where('id', '=', pixel).execute()
    const { events } = await list()
    expect(events.map(({ text }) => text)).toEqual([
      'restaurou o pixel Loja da lixeira',
      'excluiu o pixel Loja',
      'testou o pixel Loja',
      'adicionou o pixel Loja',
    ])
    // There is no page to open.
    expect(events.map(({ pixel_id }) => pixel_id)).toEqual([undefined, undefined, undefined, undefined])
  })

  test('is paged, and a search continues where it ended', async () => {
    const events = Array.from({ length: 1_120 }, (_, index) => ({
      id: randomUUID(),
      actor_id: null,
      actor: index === 3 || index === 1_100 ? 'rara@exemplo.com.br' : 'marina@exemplo.com.br',
      action: 'auth.signed_in',
      // Four per second.
      created_at: new Date(START + Math.floor(index / 4) * 1000).toISOString(),
    }))
    for (let from = 0; from < events.length; from += 500)
      await database.db
        .insertInto('audit_events')
        .values(events.slice(from, from + 500))
        .execute()
    const all = async (query: string) => {
      const seen: string[] = []
      let next: string | null = ''
      let pages = 0
      while (next !== null) {
        const page: ActivityPage = await list(`?${query}${next === '' ? '' : `&before=${next}`}`)
        seen.push(...page.events.map(({ id }) => id))
        next = page.next
        pages++
      }
      return { seen, pages }
    }
    const { seen, pages } = await all('')
    expect(pages).toBe(23)
    expect(seen).toHaveLength(events.length)
    expect(new Set(seen).size).toBe(events.length)
    const found = await all('search=rara')
    expect(found.seen).toEqual([events[1_100]?.id, events[3]?.id])
    expect(found.pages).toBe(2)

    const csv = (await get('/export?search=rara')).body.trimEnd().split('\r\n')
    expect(csv).toHaveLength(3)
    expect(csv[1]).toBe('"2026-01-01T00:04:35.000Z","rara@exemplo.com.br","entrou"')
    expect(await sentences('?kind=system')).toEqual(['marina@exemplo.com.br baixou o registro de atividade'])
  })
})
