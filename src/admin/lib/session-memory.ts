import type { SupportedStorage } from '@supabase/auth-js'

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
