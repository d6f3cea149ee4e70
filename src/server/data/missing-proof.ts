import type { FastifyRequest } from 'fastify'
import type { AppError } from '../http/app-error.ts'
import type { Caller } from '../http/caller.ts'
import { protocolError } from './protocol-errors.ts'

const BOTH = 'Send the key twice: as "apikey: KEY" and as "Authorization: Bearer KEY".'

/** Why somebody may not use `what`, and what to send instead. Says nothing about whether a key exists. */
export function missingProof(what: string, caller: Caller, request: FastifyRequest): AppError {
  if (caller.kind === 'user') {
    const hint = caller.needsSecondFactor ? 'A session of level aal2 is required.' : null
    return protocolError(403, '42501', `permission denied for ${what}`, { hint })
  }
  const { apikey, authorization } = request.headers
  return protocolError(401, '42501', `permission denied for ${what}`, explain(caller, apikey, authorization))
}

function explain(caller: Caller, apikey: unknown, authorization: string | undefined) {
  if (caller.kind === 'anon') {
    return authorization === undefined
      ? {
          details: 'The Authorization header is missing: the apikey alone says nothing about who calls.',
          hint: BOTH,
        }
      : {
          details: 'The Authorization header brings the public key, which may read nothing here.',
          hint: 'Send a service key, or the access token of an administrator, as "Authorization: Bearer …".',
        }
  }
  if (apikey === undefined) {
    return authorization === undefined
      ? { details: 'No API key found in request', hint: BOTH }
      : { details: 'The apikey header is missing: the Authorization header alone is not enough.', hint: BOTH }
  }
  return { details: 'Invalid API key', hint: 'A key that was revoked, has expired or is not of this site.' }
}
