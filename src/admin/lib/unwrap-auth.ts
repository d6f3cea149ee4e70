import { type AuthError, isAuthSessionMissingError, isAuthWeakPasswordError } from '@supabase/auth-js'
import { RequestError } from './request-error.ts'

/** An error of the auth client in the form that screens read. */
export function toRequestError(error: AuthError): RequestError {
  // The client's own words for it are English and carry no code.
  if (isAuthSessionMissingError(error)) return new RequestError({ status: 401, code: 'session_not_found' })
  return new RequestError({
    status: error.status ?? 0,
    code: error.code ?? null,
    message: error.message,
    reasons: isAuthWeakPasswordError(error) ? error.reasons : [],
  })
}

interface Answer {
  data: unknown
  error: AuthError | null
}

/** The data of an answer of the auth service; its error, thrown. */
export async function unwrapAuth<A extends Answer>(
  answer: PromiseLike<A>,
): Promise<Extract<A, { error: null }>['data']> {
  const { data, error } = await answer
  if (error !== null) throw toRequestError(error)
  return data
}
