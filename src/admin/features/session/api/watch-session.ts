import type { Clients } from '#admin/lib/clients.ts'
import { checkSession } from './check-session.ts'
import type { SessionStore } from './session-store.ts'

/** Keeps the store true to the session: the client's events, and a look at the server whenever the tab comes back. */
export function watchSession(clients: Clients, store: SessionStore): () => void {
  const { data } = clients.auth.onAuthStateChange(store.onAuthEvent)
  const check = () => void checkSession(clients, store)
  const onVisible = () => {
    if (document.visibilityState === 'visible') check()
  }
  // A page that the browser kept whole may be older than its session.
  const onShow = (event: PageTransitionEvent) => {
    if (event.persisted) check()
  }
  document.addEventListener('visibilitychange', onVisible)
  addEventListener('pageshow', onShow)
  return () => {
    data.subscription.unsubscribe()
    document.removeEventListener('visibilitychange', onVisible)
    removeEventListener('pageshow', onShow)
  }
}
