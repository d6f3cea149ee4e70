import { createAuthContext } from '#server/auth/auth.ts'
import { QUICK_WORK } from '../support/quick-work.ts'
import type { TestApp } from '../support/test-app.ts'

export interface AuthKeys {
  anon: string
  service: string
}

/** What `npm run admin -- keys` prints. */
export async function readKeys(site: TestApp): Promise<AuthKeys> {
  const { keys } = await createAuthContext(site.config, site.database.db, site.secrets, QUICK_WORK)
  return {
    anon: (await keys.current()).anonKey,
    service: await keys.makeServiceKey({ id: crypto.randomUUID(), expiresAt: null }),
  }
}
