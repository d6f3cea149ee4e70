import { AuthClient } from '@supabase/auth-js'
import { PostgrestClient } from '@supabase/postgrest-js'
import { createContext, type ReactNode, use } from 'react'
import type { AdminUser } from '#contract/accounts.ts'
import { ADMIN_BOOT_ELEMENT_ID, type AdminBoot } from '#contract/admin-page.ts'
import type { PixelInput, PixelRow } from '#contract/pixel-columns.ts'
import { type AdminApi, createAdminApi } from './api.ts'
import { SESSION_KEY, SessionMemory } from './auth-client.ts'

export interface CurrentUser {
  id: string
  email: string
}

const CurrentUserContext = createContext<CurrentUser | null>(null)

export function CurrentUserProvider({ user, children }: { user: CurrentUser; children: ReactNode }) {
  return <CurrentUserContext value={user}>{children}</CurrentUserContext>
}

/** Another object once the person has signed in again; null outside the signed-in part of the app. */
export function useSignInMark(): object | null {
  return use(CurrentUserContext)
}

/** Who is signed in; only inside the signed-in part of the app. */
export function useCurrentUser(): CurrentUser {
  const user = use(CurrentUserContext)
  if (user === null) throw new Error('useCurrentUser needs a CurrentUserProvider')
  return user
}

export interface Services extends Clients {
  boot: AdminBoot
}

const ServicesContext = createContext<Services | null>(null)

export function ServicesProvider({ services, children }: { services: Services; children: ReactNode }) {
  return <ServicesContext value={services}>{children}</ServicesContext>
}

export function useServices(): Services {
  const services = use(ServicesContext)
  if (services === null) throw new Error('useServices needs a ServicesProvider')
  return services
}

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

/** The client's types want plain records, which interfaces are not. */
type Plain<T> = { [K in keyof T]: T[K] }

type AdminUserInput = Plain<Pick<AdminUser, 'email' | 'role'> & { password: string }>

/** What the data service offers, as the data client's types describe a database. */
interface DataService {
  public: {
    Tables: {
      tracking_pixels: {
        Row: PixelRow
        Insert: PixelInput
        Update: PixelInput
        Relationships: []
      }
      admin_users: {
        Row: Plain<AdminUser>
        /** `password` and `current_password` are write-only: they are never among the columns of a row. */
        Insert: AdminUserInput
        Update: Partial<AdminUserInput & { current_password: string }>
        Relationships: []
      }
    }
    Views: Record<never, never>
    Functions: Record<never, never>
  }
}

/** Reads what the server wrote into the page and removes it, so that nothing finds a session there later. */
export function takeBoot(): AdminBoot {
  const element = document.getElementById(ADMIN_BOOT_ELEMENT_ID)
  if (element === null) throw new Error(`the page has no #${ADMIN_BOOT_ELEMENT_ID}`)
  element.remove()
  return JSON.parse(element.textContent ?? '')
}
