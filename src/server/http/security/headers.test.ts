import fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { otherHeaders, registerSecurityHeaders } from './headers.ts'

const OTHER = otherHeaders(null)

test.each([true, false])('no route has its own headers instead (started with them: %s)', async (isBegun) => {
  const app = fastify()
  onTestFinished(() => app.close())
  if (isBegun)
    app.addHook('onRequest', async (_request, { raw }) => {
      raw.setHeaders(new Map(Object.entries(OTHER)))
    })
  registerSecurityHeaders(app, { admin: {}, publicPage: {}, other: OTHER }, () => 'other')
  app.get('/', async (_request, reply) => {
    reply.header('content-security-policy', "default-src 'unsafe-inline'")
    return 'ok'
  })
  const answer = await fetch(await app.listen({ port: 0, host: '127.0.0.1' }))
  expect(Object.fromEntries(answer.headers)).toMatchObject(OTHER)
})
