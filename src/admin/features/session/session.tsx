import type { AuthChangeEvent, Session } from '@supabase/auth-js'
import { createContext, type ReactNode, use, useSyncExternalStore } from 'react'
import { notifyFailure } from '#admin/components/toast.tsx'
import { RequestError } from '#admin/lib/api.ts'
import { type Clients, type CurrentUser, type Data, isFresh, useServices } from '#admin/lib/services.tsx'
import { NO_ADMIN_ACCESS } from '#contract/error-messages.ts'

/** Lets nobody in who has no admin role. Who still owes a second factor is asked for it first. */
export async function requireAdminAccess({ auth, data }: Clients, session: Session): Promise<Session> {
  if (pendingFactors(session).length > 0) return session
  if ((await checkAccess(data, session.user.id)) === 'granted') return session
  await (await auth()).signOut({ scope: 'local' })
  throw new RequestError({ status: 403, code: 'no_admin_access', message: NO_ADMIN_ACCESS })
}

/** Ends this browser's login with all its tabs. The screen changes at once; the server is asked behind it. */
export function useSignOut(): (notice?: string) => Promise<void> {
  const { session } = useServices()
  const store = useSessionStore()
  return async (notice) => {
    // Not from the client: it would first renew a token that ran out, for as long as the server is away.
    const accessToken = session.read()?.access_token
    store.leave(notice ?? null)
    const forgotten = session.forget()
    if (accessToken !== undefined) await tellServer(session, accessToken)
    await forgotten
  }
}

/** Until the server knows, its cookie would bring the person back in: that must not go unsaid. */
async function tellServer(session: Clients['session'], accessToken: string): Promise<void> {
  const status = await session.end(accessToken)
  if ((status >= 200 && status < 300) || isOver(status)) return
  notifyFailure('Não foi possível encerrar sua sessão neste navegador.', new RequestError({ status }), {
    label: 'Tentar novamente',
    run: () => void tellServer(session, accessToken),
  })
}

/** The session was over already. */
function isOver(status: number): boolean {
  return status === 401 || status === 403 || status === 404
}

const SessionContext = createContext<SessionStore | null>(null)

export function SessionProvider({ store, children }: { store: SessionStore; children: ReactNode }) {
  return <SessionContext value={store}>{children}</SessionContext>
}

export function useSessionStore(): SessionStore {
  const store = use(SessionContext)
  if (store === null) throw new Error('useSessionStore needs a SessionProvider')
  return store
}

export function useSessionState(): SessionState {
  const store = useSessionStore()
  return useSyncExternalStore(store.subscribe, store.read)
}

/** Enters with the session that came with the page. One that ran out is the client's, which renews it. */
export function enterAtOnce({ auth, session }: Clients, store: SessionStore): void {
  const given = session.read()
  if (given === null) store.onAuthEvent('INITIAL_SESSION', null)
  else if (isFresh(given)) store.enter(given)
  // Where its code does not come either, the person is asked to sign in.
  else auth().catch(() => store.onAuthEvent('INITIAL_SESSION', null))
}

/** Looks at the server whenever the tab is looked at again. */
export function watchSession(clients: Clients, store: SessionStore): () => void {
  let checking = false
  const check = async () => {
    if (checking) return
    checking = true
    await checkSession(clients, store).finally(() => {
      checking = false
    })
  }
  const onVisible = () => {
    if (document.visibilityState === 'visible') void check()
  }
  // A page restored from the browser's cache may be older than its session.
  const onShow = (event: PageTransitionEvent) => {
    if (event.persisted) void check()
  }
  document.addEventListener('visibilitychange', onVisible)
  // Two windows side by side are never hidden.
  addEventListener('focus', check)
  addEventListener('pageshow', onShow)
  return () => {
    document.removeEventListener('visibilitychange', onVisible)
    removeEventListener('focus', check)
    removeEventListener('pageshow', onShow)
  }
}

const REFUSALS = new Set([401, 403, 404])

/** Asks the server whether this tab's session still stands: it may have been ended in another tab or by another person. */
export async function checkSession(clients: Clients, store: SessionStore): Promise<void> {
  if (!isInside(store)) return
  const auth = await clients.auth().catch(() => null)
  const state = store.read()
  if (auth === null) return
  if (state.status === 'second-factor') {
    // The code may have been shown in another tab; the client tells the store.
    await auth.refreshSession()
    return
  }
  if (state.status !== 'signed-in') return
  const { error } = await auth.getUser()
  if (error !== null) {
    if (error.name === 'AuthSessionMissingError' || REFUSALS.has(error.status ?? 0)) store.end()
    return
  }
  if ((await checkAccess(clients.data, state.user.id)) === 'granted') return
  // A second factor may have been switched on elsewhere: then this session owes it, and nothing else is wrong with it.
  await auth.refreshSession()
  if (store.read().status === 'second-factor') return
  store.leave(NO_ADMIN_ACCESS)
  await auth.signOut({ scope: 'local' })
}

function isInside(store: SessionStore): boolean {
  const { status } = store.read()
  return status === 'signed-in' || status === 'second-factor'
}

/**
 * Whether this person may be here at all. The server decides that on every call; asking beforehand only spares them
 * a dashboard full of refusals. Anything but a clear refusal counts as yes.
 */
async function checkAccess(data: Data, userId: string): Promise<'granted' | 'denied'> {
  const answer = await data.from('admin_users').select('id').eq('id', userId).retry(false)
  if (answer.error !== null) return answer.error.code === '42501' ? 'denied' : 'granted'
  return answer.data.length === 0 ? 'denied' : 'granted'
}

type SessionState =
  | { status: 'checking' }
  | { status: 'signed-out'; notice: string | null }
  | { status: 'signed-in'; user: CurrentUser }
  /** The password was right; a code is missing. `over` keeps this person's page underneath. */
  | { status: 'second-factor'; user: CurrentUser; factors: SecondFactor[]; over: boolean }
  /** Expired or revoked: the page stays, with the login over it. */
  | { status: 'ended'; user: CurrentUser }

/** Follows the auth client's events, and knows whether the person left or the session ended. */
export class SessionStore {
  #state: SessionState = { status: 'checking' }
  #listeners = new Set<() => void>()
  #held = 0
  /** The person left: pending work of the client must not bring them back. */
  #left = false

  readonly read = (): SessionState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Must not call the auth client, which waits for this callback. */
  readonly onAuthEvent = (event: AuthChangeEvent, session: Session | null): void => {
    if (this.#held > 0) return
    if (session !== null && !this.#left) this.enter(session)
    else if (event === 'SIGNED_OUT') this.end()
    else if (!this.#left) this.#set({ status: 'signed-out', notice: null })
  }

  /** Holds events back while a sign-in is incomplete, so that the dashboard is not shown before access is known. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#held += 1
    try {
      return await work()
    } finally {
      this.#held -= 1
    }
  }

  /** The person left, or may not be here. */
  leave(notice: string | null): void {
    this.#left = true
    this.#set({ status: 'signed-out', notice })
  }

  /** The session ended without the person's action. */
  end(): void {
    const state = this.#state
    if (state.status === 'signed-in') this.#set({ status: 'ended', user: state.user })
    else if (state.status === 'second-factor' && state.over) this.#set({ status: 'ended', user: state.user })
    else if (state.status === 'checking' || state.status === 'second-factor')
      this.#set({ status: 'signed-out', notice: null })
  }

  enter(session: Session): void {
    this.#left = false
    const { user } = session
    const state = this.#state
    const email = user.email ?? ''
    const factors = pendingFactors(session)
    if (factors.length > 0) {
      const over = hasPage(state) && state.user.id === user.id
      this.#set({ status: 'second-factor', user: { id: user.id, email }, factors, over })
      return
    }
    if (state.status === 'signed-in' && state.user.id === user.id && state.user.email === email) return
    this.#set({ status: 'signed-in', user: { id: user.id, email } })
  }

  #set(state: SessionState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

/** True if this person's dashboard is shown, in front or underneath. */
function hasPage(state: SessionState): state is Extract<SessionState, { user: CurrentUser }> {
  if (state.status === 'second-factor') return state.over
  return state.status === 'signed-in' || state.status === 'ended'
}

export interface SecondFactor {
  id: string
  name: string
  /** An authenticator app or a security key. */
  kind: 'app' | 'key'
}

/** The factors of which one must be shown; empty if it was, or if there are none. */
export function pendingFactors(session: Session): SecondFactor[] {
  const verified = (session.user.factors ?? []).filter((factor) => factor.status === 'verified')
  if (verified.length === 0 || readLevel(session.access_token) === 'aal2') return []
  return verified.map(({ id, friendly_name, factor_type }) => ({
    id,
    name: friendly_name ?? 'Aplicativo autenticador',
    kind: factor_type === 'webauthn' ? 'key' : 'app',
  }))
}

/** Only to choose a screen: the server does not trust this. */
function readLevel(accessToken: string): unknown {
  const payload = accessToken.split('.')[1] ?? ''
  try {
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))).aal
  } catch {
    return null
  }
}

const TYPES = ['recovery', 'invite', 'magiclink', 'signup', 'email_change'] as const

/** What an emailed link requests; `broken` if the server already knew that it is invalid. */
export type MailLink = { type: (typeof TYPES)[number]; tokenHash: string } | { type: 'broken' }

/**
 * Reads the one-time token from the address and removes it there, so that neither history nor a copied link keeps it.
 */
export function takeMailLink(): MailLink | null {
  const link = readMailLink(location.hash)
  if (link !== null) history.replaceState(null, '', location.pathname + location.search)
  return link
}

export function readMailLink(hash: string): MailLink | null {
  const fragment = new URLSearchParams(hash.replace(/^#/, ''))
  if (fragment.has('error_code')) return { type: 'broken' }
  const tokenHash = fragment.get('token_hash')
  if (tokenHash === null) return null
  const type = TYPES.find((candidate) => candidate === fragment.get('type'))
  return type === undefined ? { type: 'broken' } : { type, tokenHash }
}
