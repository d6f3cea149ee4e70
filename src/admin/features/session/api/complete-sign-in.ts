import { useMutation } from '@tanstack/react-query'
import { currentSession } from '#admin/lib/current-session.ts'
import { RequestError } from '#admin/lib/request-error.ts'
import { useServices } from '#admin/lib/services.tsx'
import { NO_ADMIN_ACCESS } from '#contract/error-messages.ts'
import { requireAdminAccess } from './require-admin-access.ts'
import { useSessionStore } from './session-context.tsx'
import { type FactorProof, verifyFactor } from './verify-factor.ts'

/** The second step of a login. */
export function useCompleteSignIn() {
  const services = useServices()
  const store = useSessionStore()
  return useMutation({
    mutationFn: (proof: FactorProof) =>
      store.hold(async () => {
        await verifyFactor(services, proof)
        return requireAdminAccess(services, await currentSession(services.auth))
      }),
    onSuccess: (session) => store.enter(session),
    onError: (error) => {
      if (!(error instanceof RequestError)) return
      if (error.code === 'no_admin_access') store.leave(NO_ADMIN_ACCESS)
      if (error.code === 'session_not_found') store.end()
    },
  })
}
