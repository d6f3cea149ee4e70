import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { currentSession } from '#admin/lib/current-session.ts'
import { useServices } from '#admin/lib/services.tsx'
import { unwrapAuth } from '#admin/lib/unwrap-auth.ts'
import { pendingFactors } from './pending-factors.ts'
import { type MailProof, redeemMail } from './redeem-mail.ts'
import { requireAdminAccess } from './require-admin-access.ts'
import { useSessionStore } from './session-context.tsx'
import { type FactorProof, verifyFactor } from './verify-factor.ts'

export interface NewPassword {
  proof: MailProof
  password: string
  /** A code of the app or on paper, once it turned out to be needed. */
  code: string
}

/** Thrown when the account has a second factor that must be shown before its password can change. */
export class SecondFactorNeeded extends Error {
  override readonly name = 'SecondFactorNeeded'
}

/** From a recovery mail to a new password and into the dashboard. The mail is used once, however often this is tried. */
export function useSetNewPassword() {
  const services = useServices()
  const { auth } = services
  const store = useSessionStore()
  const redeemed = useRef(false)
  return useMutation({
    mutationFn: ({ proof, password, code }: NewPassword) =>
      store.hold(async () => {
        if (!redeemed.current) await redeemMail(auth, proof)
        redeemed.current = true
        const [factor] = pendingFactors(await currentSession(auth))
        if (factor !== undefined) {
          if (code === '') throw new SecondFactorNeeded()
          await verifyFactor(services, toProof(factor.id, code))
        }
        await unwrapAuth(auth.updateUser({ password }))
        return requireAdminAccess(services, await currentSession(auth))
      }),
    onSuccess: (session) => store.enter(session),
  })
}

/** Six digits come from the app; anything else is one of the codes on paper. */
function toProof(factorId: string, code: string): FactorProof {
  return /^\d{3} ?\d{3}$/.test(code) ? { factorId, code } : { recoveryCode: code }
}
