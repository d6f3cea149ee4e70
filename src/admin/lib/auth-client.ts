import {
  AuthClient,
  type AuthError,
  isAuthSessionMissingError,
  isAuthWeakPasswordError,
  type Session,
} from '@supabase/auth-js'
import { RequestError } from './api.ts'
import { type Auth, type AuthOptions, SESSION_KEY } from './services.tsx'

/** The official client, set up so that no session ever leaves this tab's memory. */
export function createAuthClient({ url, headers, memory, onEvent }: AuthOptions): Auth {
  const auth = new AuthClient({
    url,
    headers,
    storage: memory.storage,
    storageKey: SESSION_KEY,
    persistSession: true,
    autoRefreshToken: true,
    detectSessionInUrl: false,
    experimental: { passkey: true },
  })
  auth.onAuthStateChange(onEvent)
  return auth
}

/** The session of this tab, refreshed if it had to be; without one there is nothing to go on with. */
export async function currentSession(auth: Auth): Promise<Session> {
  const { data } = await auth.getSession()
  if (data.session === null) throw new RequestError({ status: 401, code: 'session_not_found' })
  return data.session
}

/** Browsers bind keys to a host name: a bare address has none. */
export function canUsePasskeys(): boolean {
  return 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname)
}

/** The client's `WebAuthnError`, which it does not export. */
type BrowserError = Error & { code: string }

/** A refusal of the browser or its user is no response of the service, and has the client's own codes. */
export function toPasskeyError(error: AuthError | BrowserError): RequestError {
  if ('__isAuthError' in error) return toRequestError(error as AuthError)
  const isKnown = error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'
  return new RequestError({ status: 400, code: isKnown ? 'webauthn_credential_exists' : 'passkey_not_used' })
}

/** An error of the auth client in the form that screens read. */
export function toRequestError(error: AuthError): RequestError {
  // The client's own text is English and has no code.
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

/** The data of an auth service response; throws its error. */
export async function unwrapAuth<A extends Answer>(
  answer: PromiseLike<A>,
): Promise<Extract<A, { error: null }>['data']> {
  const { data, error } = await answer
  if (error !== null) throw toRequestError(error)
  return data
}
