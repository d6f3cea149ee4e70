import { useQueryClient } from '@tanstack/react-query'
import { notifyFailure } from '#admin/components/notify.ts'
import type { Auth } from '#admin/lib/clients.ts'
import { RequestError } from '#admin/lib/request-error.ts'
import { useServices } from '#admin/lib/services.tsx'
import { useSessionStore } from './session-context.tsx'

/** Ends this browser's login with all its tabs. The screen changes at once; the server is told behind it. */
export function useSignOut(): (notice?: string) => Promise<void> {
  const { auth } = useServices()
  const store = useSessionStore()
  const queryClient = useQueryClient()
  return async (notice) => {
    const { data } = await auth.getSession()
    store.leave(notice ?? null)
    queryClient.clear()
    const { error } = await auth.signOut({ scope: 'local' })
    if (error && data.session !== null) offerToRetry(auth, data.session.access_token, error.status)
  }
}

/** Until the server knows, its cookie would bring the person back in: that must not go unsaid. */
function offerToRetry(auth: Auth, accessToken: string, status: number | undefined): void {
  notifyFailure(
    'O servidor ainda não encerrou sua sessão neste navegador.',
    new RequestError({ status: status ?? 0 }),
    {
      label: 'Tentar novamente',
      run: async () => {
        const { error } = await auth.admin.signOut(accessToken, 'local')
        if (error) offerToRetry(auth, accessToken, error.status)
      },
    },
  )
}
