import { notifyFailure } from '#admin/components/notify.ts'
import type { Auth } from '#admin/lib/clients.ts'
import { RequestError } from '#admin/lib/request-error.ts'
import { useServices } from '#admin/lib/services.tsx'
import { useSessionStore } from './session-context.tsx'

/** Ends this browser's login with all its tabs. The screen changes at once; the server is told behind it. */
export function useSignOut(): (notice?: string) => Promise<void> {
  const { auth, memory } = useServices()
  const store = useSessionStore()
  return async (notice) => {
    // Not from the client: it would first renew a token that ran out, for as long as the server is away.
    const accessToken = memory.readAccessToken()
    store.leave(notice ?? null)
    memory.forget()
    if (accessToken !== null) await tellServer(auth, accessToken)
    // Ends whatever session a renewal that was under way may still have brought.
    await auth.signOut({ scope: 'local' })
  }
}

/** Until the server knows, its cookie would bring the person back in: that must not go unsaid. */
async function tellServer(auth: Auth, accessToken: string): Promise<void> {
  const { error } = await auth.admin.signOut(accessToken, 'local')
  if (error === null || isOver(error.status)) return
  notifyFailure(
    'O servidor ainda não encerrou sua sessão neste navegador.',
    new RequestError({ status: error.status ?? 0 }),
    { label: 'Tentar novamente', run: () => void tellServer(auth, accessToken) },
  )
}

/** The session was over already. */
function isOver(status: number | undefined): boolean {
  return status === 401 || status === 403 || status === 404
}
