import {
  type AuthError,
  isAuthSessionMissingError,
  isAuthWeakPasswordError,
  type Session,
  type SupportedStorage,
} from '@supabase/auth-js'
import { RequestError } from './api.ts'
import type { Auth } from './services.tsx'

/** The session of this tab, refreshed if it had to be; without one there is nothing to go on with. */
export async function currentSession(auth: Auth): Promise<Session> {
  const { data } = await auth.getSession()
  if (data.session === null) throw new RequestError({ status: 401, code: 'session_not_found' })
  return data.session
}

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

/** The auth client looks its session up under this name. Empty, so that it opens no BroadcastChannel. */
export const SESSION_KEY = ''

/**
 * Keeps the session in this tab's memory and nowhere else: tags run on the same origin, and whatever lies in the
 * browser's storage is theirs to read.
 */
export class SessionMemory {
  #values = new Map<string, string>()

  /** `session` comes with the page. */
  constructor(session: unknown) {
    if (session !== null && session !== undefined) this.#values.set(SESSION_KEY, JSON.stringify(session))
  }

  readonly storage: SupportedStorage = {
    getItem: (key) => this.#values.get(key) ?? null,
    setItem: (key, value) => {
      this.#values.set(key, value)
    },
    removeItem: (key) => {
      this.#values.delete(key)
    },
  }

  /** As it is, whether or not it still counts. */
  readAccessToken(): string | null {
    const session = this.#values.get(SESSION_KEY)
    return session === undefined ? null : (JSON.parse(session).access_token ?? null)
  }

  forget(): void {
    this.#values.clear()
  }
}

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
