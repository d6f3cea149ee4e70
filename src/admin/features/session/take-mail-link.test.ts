import { expect, test } from 'vitest'
import { readMailLink } from './session.tsx'

test.each([
  ['', null],
  ['#conteudo', null],
  ['#token_hash=abc&type=recovery', { type: 'recovery', tokenHash: 'abc' }],
  ['#token_hash=abc&type=email_change', { type: 'email_change', tokenHash: 'abc' }],
  ['#token_hash=abc&type=outro', { type: 'broken' }],
  ['#error=access_denied&error_code=otp_expired', { type: 'broken' }],
])('%s', (hash, link) => {
  expect(readMailLink(hash)).toEqual(link)
})
