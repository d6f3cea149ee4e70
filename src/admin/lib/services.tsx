import type { AuthChangeEvent, AuthClient, Session, SupportedStorage } from '@supabase/auth-js'
import { PostgrestClient } from '@supabase/postgrest-js'
import { createContext, type ReactNode, use } from 'react'
import type { AdminUser } from '#contract/accounts.ts'
import { ADMIN_BOOT_ELEMENT_ID, type AdminBoot } from '#contract/admin-page.ts'
import type { PixelInput, PixelRow } from '#contract/pixel-columns.ts'
import { type AdminApi, createAdminApi, RequestError } from './api.ts'

export interface CurrentUser {
  id: string
  email: string
}

const CurrentUserContext = createContext<CurrentUser | null>(null)

export function CurrentUserProvider({ user, children }: { user: CurrentUser; children: ReactNode }) {
  return <CurrentUserContext value={user}>{children}</CurrentUserContext>
}

/** A new object once the person has signed in again; null outside of the signed-in part of the app. */
export function useSignInMark(): object | null {
  return use(CurrentUserContext)
}

/** The signed-in person; only inside the signed-in part of the app. */
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
  /** The official client. Its code comes after the first screen, or when somebody needs it. */
  auth: () => Promise<Auth>
  data: Data
  admin: AdminApi
  session: TabSession
}

type OnAuthEvent = (event: AuthChangeEvent, session: Session | null) => void

/** `onEvent` hears of every change of the session. */
export function createClients(boot: AdminBoot, origin: string, onEvent: OnAuthEvent): Clients {
  const headers = { apikey: boot.anonKey }
  const url = `${origin}/auth/v1`
  const memory = new SessionMemory(boot.session)
  let client: Promise<Auth> | null = null
  let isReady = false
  const auth = () => {
    client ??= import('./auth-client.ts')
      .then(({ createAuthClient }) => {
        isReady = true
        return createAuthClient({ url, headers, memory, onEvent })
      })
      .catch(() => {
        // The next who needs it asks for its code again.
        client = null
        throw new RequestError({ status: 0 })
      })
    return client
  }
  const readToken = async (): Promise<string | null> => {
    const session = memory.read()
    // The client renews what is about to run out. Before it is there, the session is the one that came with the page.
    if (!isReady && (session === null || isFresh(session))) return session?.access_token ?? null
    return (await (await auth()).getSession()).data.session?.access_token ?? null
  }
  const fetchAsUser: typeof fetch = async (input, init) => {
    const token = await readToken()
    const sent = new Headers(init?.headers)
    if (token !== null) sent.set('authorization', `Bearer ${token}`)
    return fetch(input, { ...init, headers: sent })
  }
  const data = new PostgrestClient<DataService>(`${origin}/rest/v1`, { headers, fetch: fetchAsUser })
  const end = (accessToken: string) =>
    fetch(`${url}/logout?scope=local`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${accessToken}` },
      // Whoever signs out often closes the tab or leaves the page at once.
      keepalive: true,
    }).then(
      ({ status }) => status,
      () => 0,
    )
  const forget = async () => {
    memory.forget()
    // Ends whatever session a renewal that was under way may still bring.
    await client?.then(
      (auth) => auth.signOut({ scope: 'local' }),
      () => {},
    )
  }
  return {
    auth,
    data,
    admin: createAdminApi(`${origin}/admin/api`, headers, fetchAsUser),
    session: { read: () => memory.read(), end, forget },
  }
}

/** The session of this tab, without the client. */
interface TabSession {
  /** As it is, whether or not it still counts. */
  read: () => Session | null
  /** Tells the server that it is over, and answers with its status; 0 where there was no answer. */
  end: (accessToken: string) => Promise<number>
  /** Takes it out of this tab's memory. */
  forget: () => Promise<void>
}

/** As long before its end as the client renews it. */
const RENEWED_BEFORE_MS = 90_000

/** Whether a session can be used as it is. */
export function isFresh({ expires_at = 0 }: Session): boolean {
  return expires_at * 1000 - Date.now() > RENEWED_BEFORE_MS
}

export interface AuthOptions {
  url: string
  headers: Record<string, string>
  memory: SessionMemory
  onEvent: OnAuthEvent
}

/** The auth client looks its session up under this name. Empty, so that it opens no BroadcastChannel. */
export const SESSION_KEY = ''

/**
 * Keeps the session in this tab's memory and nowhere else: tags run on the same origin, and whatever lies in the
 * browser's storage is theirs to read.
 */
class SessionMemory {
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

  read(): Session | null {
    return JSON.parse(this.#values.get(SESSION_KEY) ?? 'null')
  }

  forget(): void {
    this.#values.clear()
  }
}

/** The client's types want plain records, which interfaces are not. */
type Plain<T> = { [K in keyof T]: T[K] }

type AdminUserInput = Plain<Pick<AdminUser, 'email' | 'role'> & { password: string }>

/** The resources of the data service in the client's types. */
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
        /** `password` and `current_password` are write-only: they are never columns of a row. */
        Insert: AdminUserInput
        Update: Partial<AdminUserInput & { current_password: string }>
        Relationships: []
      }
    }
    Views: Record<never, never>
    Functions: Record<never, never>
  }
}

/** Reads the server's data from the page and removes it, so that nothing finds a session there later. */
export function takeBoot(): AdminBoot {
  const element = document.getElementById(ADMIN_BOOT_ELEMENT_ID)
  if (element === null) throw new Error(`the page has no #${ADMIN_BOOT_ELEMENT_ID}`)
  element.remove()
  return JSON.parse(element.textContent ?? '')
}
