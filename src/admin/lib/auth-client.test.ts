import { AuthApiError, AuthSessionMissingError, AuthWeakPasswordError } from '@supabase/auth-js'
import { expect, test } from 'vitest'
import { describeFailure, SESSION_ENDED } from '#contract/error-messages.ts'
import { toRequestError } from './auth-client.ts'

test('a missing session is told in Portuguese, and counts as refused', () => {
  const error = toRequestError(new AuthSessionMissingError())
  expect(describeFailure(error, 'x')).toBe(SESSION_ENDED)
  expect(error.status).toBe(401)
})

test('code, status and reasons of the service reach the screens', () => {
  expect(toRequestError(new AuthApiError('x', 422, 'same_password'))).toMatchObject({
    status: 422,
    code: 'same_password',
  })
  expect(toRequestError(new AuthWeakPasswordError('x', 422, ['pwned'])).reasons).toEqual(['pwned'])
})
