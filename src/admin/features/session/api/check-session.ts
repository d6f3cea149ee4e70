import { isAuthSessionMissingError } from '@supabase/auth-js'
import type { Clients } from '#admin/lib/clients.ts'
import { NO_ADMIN_ACCESS } from '#contract/error-messages.ts'
import { checkAccess } from './check-access.ts'
import type { SessionStore } from './session-store.ts'

const REFUSALS = new Set([401, 403, 404])

/** Asks the server whether this tab's session still stands: it may have been ended in another tab or by another person. */
export async function checkSession({ auth, data }: Clients, store: SessionStore): Promise<void> {
  const state = store.read()
  if (state.status === 'second-factor') {
    // The code may have been shown in another tab; the client tells the store.
    await auth.refreshSession()
    return
  }
  if (state.status !== 'signed-in') return
  const { error } = await auth.getUser()
  if (error !== null) {
    if (isAuthSessionMissingError(error) || REFUSALS.has(error.status ?? 0)) store.end()
    return
  }
  if ((await checkAccess(data, state.user.id)) === 'granted') return
  // A second factor may have been switched on elsewhere: then this session owes it, and nothing else is wrong with it.
  await auth.refreshSession()
  if (store.read().status === 'second-factor') return
  store.leave(NO_ADMIN_ACCESS)
  await auth.signOut({ scope: 'local' })
}
