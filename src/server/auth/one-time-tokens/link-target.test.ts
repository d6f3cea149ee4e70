import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { parseConfig } from '#server/config.ts'
import type { AuthContext } from '../context.ts'
import { readLinkTarget } from './redirects.ts'

const CALLBACK = 'https://app.exemplo.com.br/auth/callback'
const DASHBOARD = 'http://localhost:3000/admin'
const CHALLENGE = createHash('sha256').update('v'.repeat(56)).digest('base64url')

function read(listed: string, asked: string, code_challenge: string, code_challenge_method: string) {
  const context = {
    config: parseConfig({ AUTH_REDIRECT_URLS: listed }),
    origins: ['http://localhost:3000'],
  } as unknown as AuthContext
  const request = { query: { redirect_to: asked } } as FastifyRequest
  return readLinkTarget(context, request, { code_challenge, code_challenge_method })
}

test.each(['s256', 'S256'])('a listed address gets a code (%s)', (method) => {
  expect(read(CALLBACK, CALLBACK, CHALLENGE, method)).toEqual({
    redirectTo: CALLBACK,
    codeChallenge: CHALLENGE,
  })
})

test.each([
  ['nothing is listed', '', CALLBACK, CHALLENGE, null],
  ['another is listed', `${CALLBACK}/x`, CALLBACK, CHALLENGE, null],
  ['the dashboard is asked for', CALLBACK, DASHBOARD, CHALLENGE, DASHBOARD],
  ['there is no challenge', CALLBACK, CALLBACK, '', null],
])('the dashboard gets the token when %s', (_when, listed, asked, challenge, redirectTo) => {
  const method = challenge === '' ? '' : 's256'
  expect(read(listed, asked, challenge, method)).toEqual({ redirectTo, codeChallenge: null })
})

test.each([
  ['half a challenge', CHALLENGE, ''],
  ['the other half', '', 's256'],
  ['plain', 'v'.repeat(56), 'plain'],
  ['an unknown method', CHALLENGE, 'md5'],
  ['what is no hash', 'x', 's256'],
  ['a hash with something behind it', `${CHALLENGE}\n`, 's256'],
])('%s is refused', (_what, challenge, method) => {
  expect(() => read(CALLBACK, CALLBACK, challenge, method)).toThrow(
    expect.objectContaining({ status: 400, code: 'validation_failed' }),
  )
})
