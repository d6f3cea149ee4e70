import type { Clients } from '#admin/lib/clients.ts'
import { checkSession } from './check-session.ts'
import type { SessionStore } from './session-store.ts'

/** Keeps the store true to the session: the client's events, and a look at the server whenever the tab is looked at again. */
export function watchSession(clients: Clients, store: SessionStore): () => void {
  const { data } = clients.auth.onAuthStateChange(store.onAuthEvent)
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
  // A page that the browser kept whole may be older than its session.
  const onShow = (event: PageTransitionEvent) => {
    if (event.persisted) void check()
  }
  document.addEventListener('visibilitychange', onVisible)
  // Of two windows side by side neither is ever hidden.
  addEventListener('focus', check)
  addEventListener('pageshow', onShow)
  return () => {
    data.subscription.unsubscribe()
    document.removeEventListener('visibilitychange', onVisible)
    removeEventListener('focus', check)
    removeEventListener('pageshow', onShow)
  }
}
