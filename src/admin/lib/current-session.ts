import type { Session } from '@supabase/auth-js'
import type { Auth } from './clients.ts'
import { RequestError } from './request-error.ts'

/** The session of this tab, refreshed if it had to be; without one there is nothing to go on with. */
export async function currentSession(auth: Auth): Promise<Session> {
  const { data } = await auth.getSession()
  if (data.session === null) throw new RequestError({ status: 401, code: 'session_not_found' })
  return data.session
}
