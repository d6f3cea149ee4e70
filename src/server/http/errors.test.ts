import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AppError, registerErrors } from './errors.ts'

const THROWN: Record<string, Error> = {
  refused: new AppError(409, 'taken', 'Esse nome já existe.', { headers: { 'retry-after': '3' } }),
  broken: new AppError(503, 'not_now', 'Tente novamente em instantes.'),
  unknown: new Error('the password is s3cret'),
  // Has a status, but is not one of the framework's: its message is not public.
  foreign: Object.assign(new Error('upstream said s3cret'), { statusCode: 418, code: 'UPSTREAM' }),
}

const lines: { level: number; msg: string; err?: { message: string } }[] = []
let app: FastifyInstance
beforeAll(async () => {
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  app = fastify({ loggerInstance: log as FastifyBaseLogger, bodyLimit: 10 })
  registerErrors(app, { 404: '<p>nada</p>', 500: '<p>falhou</p>' }, ({ url }) =>
    url.startsWith('/page') ? 'public page' : 'service',
  )
  for (const prefix of ['', '/page']) {
    app.get(`${prefix}/:what`, async ({ params }) => {
      throw THROWN[(params as { what: string }).what] ?? new Error('untold')
    })
  }
  app.post('/body', async () => 'ok')
  await app.ready()
})
afterAll(() => app.close())
beforeEach(() => {
  lines.length = 0
})

const get = (url: string, accept = 'text/html') => app.inject({ url, headers: { accept } })

test('returns an AppError as it is, without a log line', async () => {
  const answer = await get('/refused')
  expect([answer.statusCode, answer.json()]).toMatchObject([
    409,
    { error: 'taken', message: 'Esse nome já existe.', request_id: expect.any(String) },
  ])
  expect(answer.headers['retry-after']).toBe('3')
  expect(lines).toEqual([])
})

test('returns a 5xx AppError as it is and logs its cause once', async () => {
  expect((await get('/broken')).json()).toMatchObject({ error: 'not_now' })
  expect(lines).toMatchObject([{ msg: 'request failed', err: { message: 'Tente novamente em instantes.' } }])
})

test.each(['unknown', 'foreign'])(
  'turns an unknown error (%s) into an empty 500 and logs it',
  async (what) => {
    const answer = await get(`/${what}`)
    expect([answer.statusCode, answer.json().error]).toEqual([500, 'internal_error'])
    expect(answer.body).not.toContain('s3cret')
    expect(lines).toMatchObject([
      { msg: 'request failed', err: { message: expect.stringContaining('s3cret') } },
    ])
  },
)

test.each([
  ['too large', 'application/json', '{"a":"bcdefghijk"}', 413],
  ['no JSON', 'application/json', '{', 400],
  ['of no type that is known', 'text/csv', 'a,b', 415],
])('returns 4xx for a body that is %s, without a log line', async (_what, type, payload, status) => {
  const answer = await app.inject({
    method: 'POST',
    url: '/body',
    headers: { 'content-type': type },
    payload,
  })
  expect([answer.statusCode, answer.json().error]).toEqual([status, 'bad_request'])
  expect(lines).toEqual([])
})

test('sends error pages to browsers and JSON to programs', async () => {
  expect((await get('/page/unknown')).body).toBe('<p>falhou</p>')
  expect((await get('/page/broken')).body).toBe('<p>falhou</p>')
  expect((await get('/page/a/b')).body).toBe('<p>nada</p>')
  expect((await get('/page/unknown', '*/*')).json()).toMatchObject({ error: 'internal_error' })
  expect((await get('/page/refused')).json()).toMatchObject({ error: 'taken' })
  expect((await get('/a/b')).json()).toMatchObject({ error: 'not_found' })
})
