import { useMutation } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import { type MailProof, redeemMail } from './redeem-mail.ts'
import { requireAdminAccess } from './require-admin-access.ts'
import { useSessionStore } from './session-context.tsx'

/** A link that lets in, or that confirms an address. Nothing happens until the person says so. */
export function useFollowLink() {
  const services = useServices()
  const store = useSessionStore()
  return useMutation({
    mutationFn: (proof: MailProof) =>
      store.hold(async () => {
        const session = await redeemMail(services.auth, proof)
        return session === null ? null : requireAdminAccess(services, session)
      }),
    onSuccess: (session) => {
      if (session !== null) store.enter(session)
    },
  })
}
