import type { AuthChangeEvent, Session } from '@supabase/auth-js'
import type { CurrentUser } from '#admin/lib/current-user.tsx'
import { pendingFactors, type SecondFactor } from './pending-factors.ts'

export type SessionState =
  | { status: 'checking' }
  | { status: 'signed-out'; notice: string | null }
  | { status: 'signed-in'; user: CurrentUser }
  /** The password was right; a code is still owed. `over` keeps this person's page, with what they were doing, underneath. */
  | { status: 'second-factor'; user: CurrentUser; factors: SecondFactor[]; over: boolean }
  /** Expired or revoked: the page stays as it is, and the login lies over it. */
  | { status: 'ended'; user: CurrentUser }

/** Follows the auth client's events, and knows what they do not say: whether the person left or was put out. */
export class SessionStore {
  #state: SessionState = { status: 'checking' }
  #listeners = new Set<() => void>()
  #held = 0
  /** The person left: what the client was still about when they did must not bring them back. */
  #left = false

  readonly read = (): SessionState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Must not call the auth client: it waits for this very callback. */
  readonly onAuthEvent = (event: AuthChangeEvent, session: Session | null): void => {
    if (this.#held > 0) return
    if (session !== null && !this.#left) this.enter(session)
    else if (event === 'SIGNED_OUT') this.end()
    else if (!this.#left) this.#set({ status: 'signed-out', notice: null })
  }

  /** Keeps events back while a sign-in is not complete, so that nobody sees the dashboard before their right to it is known. */
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

  /** The session is over, and it was not the person's doing. */
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

/** Whether this person's dashboard is on the screen, in front or underneath. */
function hasPage(state: SessionState): state is Extract<SessionState, { user: CurrentUser }> {
  if (state.status === 'second-factor') return state.over
  return state.status === 'signed-in' || state.status === 'ended'
}
