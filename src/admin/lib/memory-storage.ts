import type { SupportedStorage } from '@supabase/auth-js'

/** The auth client looks its session up under this name. Empty, so that it opens no BroadcastChannel. */
export const SESSION_KEY = ''

/**
 * Keeps the session in this tab's memory and nowhere else: tags run on the same origin, and whatever lies in the
 * browser's storage is theirs to read.
 */
export function createMemoryStorage(session: unknown): SupportedStorage {
  const values = new Map<string, string>()
  if (session !== null && session !== undefined) values.set(SESSION_KEY, JSON.stringify(session))
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => {
      values.set(key, value)
    },
    removeItem: (key) => {
      values.delete(key)
    },
  }
}
