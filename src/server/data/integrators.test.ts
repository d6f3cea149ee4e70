import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_ROLES } from '#contract/accounts.ts'
import { PIXEL_DELIVERIES, PIXEL_RUNS_IN, PIXEL_TYPES } from '#contract/pixel.ts'
import { type ColumnFacts, PIXEL_COLUMNS } from '#contract/pixel-columns.ts'
import { type CallerName, type DataApp, startDataApp } from '#tests/support/data-app.ts'
import { writeDocTable } from '#tests/support/doc-table.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'

const PIXELS = '/rest/v1/tracking_pixels'
const PIXEL = { name: 'Loja', type: 'meta', pixel_id: '123' }

describe.each(TIER_ENGINES)('compatibility of the data service, on %s', (engine) => {
  let data: DataApp
  beforeAll(async () => {
    data = await startDataApp(engine)
  })
  afterAll(() => data.close())

  const names = async () => (await data.call({ url: `${PIXELS}?select=name` })).json()
  const events = () =>
    data.database.db
      .selectFrom('audit_events')
      .select('action')
      .where('action', 'like', 'tracking%')
      .execute()

  test.each<[string, CallerName, Record<string, string>, string]>([
    ['nothing', 'guest', {}, 'No API key found in request'],
    ['a token without a key', 'guest', { authorization: 'Bearer x' }, 'The apikey header is missing'],
    ['a bad key', 'guest', { apikey: 'x' }, 'Invalid API key'],
    ['a key without a token', 'anon', { apikey: 'x' }, 'The Authorization header is missing'],
    ['the public key', 'anon', { apikey: 'x', authorization: 'Bearer x' }, 'brings the public key'],
  ])('tells a caller with %s what is missing', async (_what, as, headers, expected) => {
    for (const url of [PIXELS, '/rest/v1/admin_users', '/rest/v1/']) {
      const answer = await data.call({ url, as, headers })
      expect(answer.statusCode).toBe(401)
      expect(answer.headers['www-authenticate']).toBe('Bearer')
      const { code, details, hint } = answer.json()
      expect({ code, details }).toEqual({ code: '42501', details: expect.stringContaining(expected) })
      expect(hint).toMatch(/apikey|Authorization|revoked/)
    }
  })

  test('tx=rollback returns the result and stores nothing', async () => {
    const prefer = 'tx=rollback, return=representation, handling=strict'
    const made = await data.call({ method: 'POST', url: PIXELS, payload: PIXEL, headers: { prefer } })
    expect(made.statusCode, made.body).toBe(201)
    expect(made.json()[0]).toMatchObject(PIXEL)
    expect(made.headers['preference-applied']).toBe('return=representation, tx=rollback, handling=strict')
    expect(await names()).toEqual([])

    expect((await data.call({ method: 'POST', url: PIXELS, payload: PIXEL })).statusCode).toBe(201)
    const before = { changes: data.changes(), events: (await events()).length }
    const all = `${PIXELS}?id=not.is.null`
    const patched = await data.call({
      method: 'PATCH',
      url: all,
      payload: { name: 'Outra' },
      headers: { prefer },
    })
    expect(patched.json()[0].name).toBe('Outra')
    const removed = await data.call({ method: 'DELETE', url: all, headers: { prefer } })
    expect(removed.json()).toHaveLength(1)
    expect(await names()).toEqual([{ name: 'Loja' }])
    expect({ changes: data.changes(), events: (await events()).length }).toEqual(before)
  })

  test('tx=rollback of people leaves accounts and roles unchanged', async () => {
    const headers = { prefer: 'tx=rollback' }
    const payload = { email: 'nova@exemplo.com.br', password: 'trilho-pedra-nuvem-77', role: 'admin' }
    const url = '/rest/v1/admin_users'
    expect((await data.call({ method: 'POST', url, payload, headers })).statusCode).toBe(201)
    const logins = await data.database.db.selectFrom('auth_users').select('email').execute()
    expect(logins).toHaveLength(1)
  })

  test.each([
    ['tx=commit, timezone=UTC', 200, 'tx=commit, handling=strict, timezone=UTC'],
    ['timezone=America/Sao_Paulo', 400, undefined],
    ['tx=maybe', 400, undefined],
  ])('handling=strict and %s', async (prefer, status, applied) => {
    const answer = await data.call({ url: PIXELS, headers: { prefer: `handling=strict, ${prefer}` } })
    expect(answer.statusCode).toBe(status)
    expect(answer.headers['preference-applied']).toBe(applied)
    if (status === 400) expect(answer.json()).toMatchObject({ code: 'PGRST122' })
  })

  test('there are no functions', async () => {
    const answer = await data.call({
      method: 'POST',
      url: '/rest/v1/rpc/soma',
      payload: { b: 1, a: 2 },
      as: 'anon',
    })
    expect(answer.statusCode).toBe(404)
    expect(answer.json()).toMatchObject({
      code: 'PGRST202',
      message: 'Could not find the function public.soma(a, b) in the schema cache',
    })
    expect((await data.call({ url: '/rest/v1/rpc/soma', as: 'guest' })).statusCode).toBe(401)
  })

  test('the description is valid Swagger 2.0 and lists every column', async () => {
    for (const url of ['/rest/v1/', '/rest/v1']) {
      const answer = await data.call({ url, as: 'service' })
      expect(answer.statusCode, answer.body).toBe(200)
      expect(answer.headers['content-type']).toBe('application/openapi+json; charset=utf-8')
      const document = answer.json()
      expect(await new Validator().validate(document)).toMatchObject({ valid: true })
      expect(document.swagger).toBe('2.0')
      expect(Object.keys(document.paths)).toEqual(['/', '/tracking_pixels', '/admin_users'])
      const [row] = (await data.call({ url: '/rest/v1/admin_users' })).json()
      expect(Object.keys(document.definitions.admin_users.properties)).toEqual([
        ...Object.keys(row),
        'password',
        'current_password',
      ])
    }
    const { paths, definitions } = (await data.call({ url: '/rest/v1/', as: 'service' })).json()
    const bodyOf = (method: string, table = 'tracking_pixels') =>
      paths[`/${table}`][method].parameters.find((parameter: { in: string }) => parameter.in === 'body')
        .schema
    expect(bodyOf('post').required).toEqual(['name', 'type'])
    expect(bodyOf('post', 'admin_users').required).toEqual(['email'])
    expect(bodyOf('patch').required).toBeUndefined()
    expect(bodyOf('patch').properties.updated_at).toBeUndefined()
    expect(definitions.tracking_pixels.required).toEqual(
      Object.entries<ColumnFacts>(PIXEL_COLUMNS)
        .filter(([, { nullable }]) => !nullable)
        .map(([name]) => name),
    )
    const enums = Object.entries<{ enum?: string[] }>({
      ...definitions.tracking_pixels.properties,
      ...definitions.admin_users.properties,
    }).flatMap(([name, property]) => (property.enum === undefined ? [] : [[name, property.enum]]))
    documentColumns('columns', definitions.tracking_pixels.properties)
    documentColumns('user columns', definitions.admin_users.properties)
    expect(Object.fromEntries(enums)).toEqual({
      type: PIXEL_TYPES,
      consent_category: ['desempenho', 'funcionalidade', 'marketing'],
      delivery: PIXEL_DELIVERIES,
      runs_in: PIXEL_RUNS_IN,
      role: ADMIN_ROLES,
    })
    expect((await data.call({ url: '/rest/v1/', as: 'stranger' })).statusCode).toBe(403)
    expect((await data.call({ url: '/rest/v1/', as: 'halfway' })).statusCode).toBe(403)
  })
})

type Property = Record<string, unknown>

function documentColumns(table: string, properties: Record<string, Property>): void {
  const rows = Object.entries(properties).map(([name, property]) => {
    const values = Array.isArray(property.enum)
      ? `: ${property.enum.map((value) => `\`${value}\``).join(', ')}`
      : ''
    const notes = [
      ...(property.readOnly === true ? ['read-only'] : []),
      ...(property['x-nullable'] === true ? ['may be null'] : []),
    ]
    return [
      `\`${name}\``,
      `${property.format ?? property.type}${values}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`,
      String(property.description ?? '')
        .replace('This is a Primary Key.<pk/>', 'Primary key.')
        .replaceAll('|', '\\|'),
    ]
  })
  writeDocTable('docs/integrate/data-api.md', table, [['column', 'type', 'meaning'], ...rows])
}
