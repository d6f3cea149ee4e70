import { AuthApiError, AuthSessionMissingError, AuthWeakPasswordError } from '@supabase/auth-js'
import { expect, test } from 'vitest'
import { describeFailure, SESSION_ENDED } from '#contract/error-messages.ts'
import { toRequestError } from './auth-client.ts'

test('reports a missing session in Portuguese, as a refusal', () => {
  const error = toRequestError(new AuthSessionMissingError())
  expect(describeFailure(error, 'x')).toBe(SESSION_ENDED)
  expect(error.status).toBe(401)
})

test('passes code, status and reasons of the service to the screens', () => {
  expect(toRequestError(new AuthApiError('x', 422, 'same_password'))).toMatchObject({
    status: 422,
    code: 'same_password',
  })
  expect(toRequestError(new AuthWeakPasswordError('x', 422, ['pwned'])).reasons).toEqual(['pwned'])
})
