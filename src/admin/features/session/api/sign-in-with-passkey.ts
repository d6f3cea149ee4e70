import type { Session } from '@supabase/auth-js'
import { useMutation } from '@tanstack/react-query'
import { toPasskeyError } from '#admin/lib/passkeys.ts'
import { RequestError } from '#admin/lib/request-error.ts'
import { useServices } from '#admin/lib/services.tsx'
import { requireAdminAccess } from './require-admin-access.ts'
import { useSessionStore } from './session-context.tsx'

/** The device says who it is; a second factor is asked for as after a password. */
export function useSignInWithPasskey() {
  const services = useServices()
  const store = useSessionStore()
  return useMutation({
    mutationFn: (): Promise<Session> =>
      store.hold(async () => {
        const { data, error } = await services.auth.signInWithPasskey()
        if (error !== null) throw toPasskeyError(error)
        if (data.session === null) throw new RequestError({ status: 0 })
        return requireAdminAccess(services, data.session)
      }),
    onSuccess: (session) => store.enter(session),
  })
}
