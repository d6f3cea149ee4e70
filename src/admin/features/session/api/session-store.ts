import type { AuthChangeEvent, Session } from '@supabase/auth-js'
import type { CurrentUser } from '../../../lib/current-user.tsx'

export type SessionState =
  | { status: 'checking' }
  | { status: 'signed-out'; notice: string | null }
  | { status: 'signed-in'; user: CurrentUser }
  /** Expired or revoked: the page stays as it is, and the login lies over it. */
  | { status: 'ended'; user: CurrentUser }

/** Follows the auth client's events, and knows what they do not say: whether the person left or was put out. */
export class SessionStore {
  #state: SessionState = { status: 'checking' }
  #listeners = new Set<() => void>()
  #held = 0

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
    if (session !== null) this.enter(session)
    else if (event === 'SIGNED_OUT') this.end()
    else this.leave(null)
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
    this.#set({ status: 'signed-out', notice })
  }

  /** The session is over, and it was not the person's doing. */
  end(): void {
    if (this.#state.status === 'signed-in') this.#set({ status: 'ended', user: this.#state.user })
    else if (this.#state.status === 'checking') this.leave(null)
  }

  enter({ user }: Session): void {
    const state = this.#state
    const email = user.email ?? ''
    if (state.status === 'signed-in' && state.user.id === user.id && state.user.email === email) return
    this.#set({ status: 'signed-in', user: { id: user.id, email } })
  }

  #set(state: SessionState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}
