import type { Session } from '@supabase/auth-js'
import type { Clients } from '#admin/lib/clients.ts'
import { RequestError } from '#admin/lib/request-error.ts'
import { NO_ADMIN_ACCESS } from '#contract/error-messages.ts'
import { checkAccess } from './check-access.ts'
import { pendingFactors } from './pending-factors.ts'

/** Lets nobody in who has no admin role. Who still owes a second factor is asked for it first. */
export async function requireAdminAccess({ auth, data }: Clients, session: Session): Promise<Session> {
  if (pendingFactors(session).length > 0) return session
  if ((await checkAccess(data, session.user.id)) === 'granted') return session
  await auth.signOut({ scope: 'local' })
  throw new RequestError({ status: 403, code: 'no_admin_access', message: NO_ADMIN_ACCESS })
}
