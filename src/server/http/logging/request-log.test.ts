import Fastify, { type FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeDocRow } from '#tests/support/doc-table.ts'
import { pipelinedRequests } from '#tests/support/pipelined-requests.ts'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { RequestLog } from './requests.ts'

interface Line {
  msg: string
  path?: string
  status?: number
  count?: number
}

const FLOOD = 500
const lines: Line[] = []
let written = 0
let site: TestApp
beforeAll(async () => {
  const write = (line: string) => {
    written += line.length
    lines.push(JSON.parse(line))
  }
  site = await startTestApp({
    listen: true,
    log: pino({ level: 'info' }, { write }),
    connectionLimits: { pipelined: 100 },
  })
})
afterAll(() => site.close())

const stands = (part: Line[]) => part.reduce((sum, { count = 1 }) => sum + count, 0)

test('logs only the refusal for an absolute address', async () => {
  const target = 'http://ana:s3cret@a/admin?token=s3cret'
  const message = `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`
  const [answer] = await pipelinedRequests(site.config.port, [message], { lead: message, depth: 1 })
  expect(answer?.status).toBe(400)
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'request refused', status: 400, reason: 'form' }),
  )
  expect(JSON.stringify(lines)).not.toContain('s3cret')
})

test(`${FLOOD} requests for unknown paths of 15 KB are a few short lines and a count`, async () => {
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
  const messages = Array.from({ length: FLOOD }, (_, at) => ask(`/${at}${'x'.repeat(15_000)}`))
  const answers = await pipelinedRequests(site.config.port, messages, { lead: ask('/'), depth: 50 })
  expect(answers.every((answer) => answer.status === 404)).toBe(true)
  expect(await site.app.inject({ url: '/healthz' })).toMatchObject({ statusCode: 200 })
  await site.app.close()
  const missing = lines.filter((line) => line.status === 404)
  expect(stands(missing)).toBe(FLOOD)
  expect(missing.length).toBeLessThan(FLOOD / 5)
  expect(Math.max(...missing.map((line) => line.path?.length ?? 0))).toBe(200)
  expect(written).toBeLessThan(100_000)
  // Lines of another kind are not suppressed.
  expect(lines).toContainEqual(expect.objectContaining({ path: '/healthz', status: 200 }))
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'A2',
    `no \`Host\`, an unknown \`Expect\`, CONNECT, and ${FLOOD} requests for missing paths of 15 KB`,
    'each response has the policy; a logged path has at most 200 characters, and after 20 lines of one kind in 10 s the rest is counted in one line',
    '`src/server/app.test.ts`, `src/server/http/logging/request-log.test.ts`',
  ])
})

test("logs every request on demand, with the proxy's id and without its query", async () => {
  const written: (Line & { requestId?: string; memory?: boolean })[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => written.push(JSON.parse(line)) })
  const everything = new RequestLog(log, { everything: true, trustsProxy: true })
  const app = Fastify({ loggerInstance: log as FastifyBaseLogger, disableRequestLogging: true })
  everything.register(app)
  app.get('/a', async () => 'a')
  for (let call = 0; call < 50; call++) await app.inject('/a?token=s3cret')
  for (let visit = 0; visit < 50; visit++)
    everything.onFastAnswer?.(
      { method: 'GET', url: '/?s3cret', headers: { 'x-request-id': 'from-the-proxy' } } as never,
      200,
    )
  await app.close()
  const answered = written.filter(({ msg }) => msg === 'request completed')
  expect(answered.filter(({ path }) => path === '/a')).toHaveLength(50)
  expect(answered.filter(({ memory }) => memory)).toHaveLength(50)
  expect(answered.at(-1)).toMatchObject({ path: '/', status: 200, requestId: 'from-the-proxy' })
  expect(JSON.stringify(written)).not.toContain('s3cret')
  expect(new RequestLog(log).onFastAnswer).toBeNull()
})

test('logs calls without a database as one line and a count', async () => {
  const own: Line[] = []
  const away = await startTestApp({
    log: pino({ level: 'info' }, { write: (line) => void own.push(JSON.parse(line)) }),
  })
  await sql`pragma query_only = on`.execute(away.database.db)
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, at) =>
      away.app.inject({
        method: 'POST',
        url: '/api/newsletter',
        remoteAddress: `198.51.100.${at}`,
        payload: { email: `pessoa${at}@exemplo.com.br` },
      }),
    ),
  )
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([503]))
  await away.close()
  const refused = own.filter((line) => line.status === 503)
  expect(refused.map(({ msg, count = 1 }) => [msg, count])).toEqual([
    ['the database is unavailable', 1],
    ['similar lines suppressed', 199],
  ])
  expect(own.filter(({ msg }) => msg === 'the database is unavailable')).toHaveLength(1)
})
