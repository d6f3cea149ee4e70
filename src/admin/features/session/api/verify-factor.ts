import { notifyWarning } from '#admin/components/notify.ts'
import { toPasskeyError } from '#admin/lib/passkeys.ts'
import type { Services } from '#admin/lib/services.tsx'
import { unwrapAuth } from '#admin/lib/unwrap-auth.ts'
import type { RecoveryCodesLeft } from '#contract/accounts.ts'

/** A code of the app, the key of a device, or one of the codes on paper. */
export type FactorProof =
  | { factorId: string; code: string }
  | { keyFactorId: string }
  | { recoveryCode: string }

const FEW_CODES = 3

/** Raises this tab's session; the client then holds the raised one. */
export async function verifyFactor(services: Services, proof: FactorProof): Promise<void> {
  const { auth } = services
  if ('keyFactorId' in proof) {
    const { error } = await auth.mfa.webauthn.authenticate({ factorId: proof.keyFactorId })
    if (error !== null) throw toPasskeyError(error)
    return
  }
  if (!('recoveryCode' in proof)) {
    await unwrapAuth(auth.mfa.challengeAndVerify(proof))
    return
  }
  const body = { code: proof.recoveryCode }
  const { left } = await services.admin<RecoveryCodesLeft>('/recovery-codes/use', { method: 'POST', body })
  await unwrapAuth(auth.refreshSession())
  if (left <= FEW_CODES) notifyWarning(fewLeft(left))
}

function fewLeft(left: number): string {
  const rest =
    left === 0 ? 'Este era o último código' : `${left === 1 ? 'Resta 1 código' : `Restam ${left} códigos`}`
  return `${rest} de recuperação. Gere novos em Minha conta.`
}
