import type { AuthError } from '@supabase/auth-js'
import { RequestError } from './request-error.ts'
import { toRequestError } from './unwrap-auth.ts'

/** Browsers tie keys to a host's name: at a bare address there are none. */
export function canUsePasskeys(): boolean {
  return 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname)
}

/** The client's `WebAuthnError`, which it does not export. */
type BrowserError = Error & { code: string }

/** What a browser or its owner refused is no answer of the service, and carries the client's own codes. */
export function toPasskeyError(error: AuthError | BrowserError): RequestError {
  if ('__isAuthError' in error) return toRequestError(error as AuthError)
  const isKnown = error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'
  return new RequestError({ status: 400, code: isKnown ? 'webauthn_credential_exists' : 'passkey_not_used' })
}
