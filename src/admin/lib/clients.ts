import { AuthClient } from '@supabase/auth-js'
import { PostgrestClient } from '@supabase/postgrest-js'
import type { AdminBoot } from '#contract/admin-page.ts'
import { type AdminApi, createAdminApi } from './admin-api.ts'
import type { DataService } from './data-service.ts'
import { SESSION_KEY, SessionMemory } from './session-memory.ts'

export type Auth = InstanceType<typeof AuthClient>
export type Data = PostgrestClient<DataService>

export interface Clients {
  auth: Auth
  data: Data
  admin: AdminApi
  memory: SessionMemory
}

/** The official clients, set up so that no session ever leaves this tab's memory. */
export function createClients(boot: AdminBoot, origin: string): Clients {
  const headers = { apikey: boot.anonKey }
  const memory = new SessionMemory(boot.session)
  const auth = new AuthClient({
    url: `${origin}/auth/v1`,
    headers,
    storage: memory.storage,
    storageKey: SESSION_KEY,
    persistSession: true,
    autoRefreshToken: true,
    detectSessionInUrl: false,
    experimental: { passkey: true },
  })
  const fetchAsUser: typeof fetch = async (input, init) => {
    const { data: current } = await auth.getSession()
    const sent = new Headers(init?.headers)
    if (current.session !== null) sent.set('authorization', `Bearer ${current.session.access_token}`)
    return fetch(input, { ...init, headers: sent })
  }
  const data = new PostgrestClient<DataService>(`${origin}/rest/v1`, { headers, fetch: fetchAsUser })
  return { auth, data, admin: createAdminApi(`${origin}/admin/api`, headers, fetchAsUser), memory }
}
