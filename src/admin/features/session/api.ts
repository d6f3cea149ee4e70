import type { EmailOtpType, Session } from '@supabase/auth-js'
import { useRef } from 'react'
import * as z from 'zod/mini'
import { knownEmailSchema } from '#admin/components/form.tsx'
import { notifyWarning } from '#admin/components/toast.tsx'
import { RequestError } from '#admin/lib/api.ts'
import { currentSession, toPasskeyError, toRequestError, unwrapAuth } from '#admin/lib/auth-client.ts'
import { useAction } from '#admin/lib/queries.ts'
import { type Auth, type Services, useServices } from '#admin/lib/services.tsx'
import type { RecoveryCodesLeft } from '#contract/accounts.ts'
import { NO_ADMIN_ACCESS } from '#contract/error-messages.ts'
import { formatCount } from '#contract/format-count.ts'
import { pendingFactors, requireAdminAccess, useSessionStore } from './session.tsx'

/** The second step of a login. */
export function useCompleteSignIn() {
  const services = useServices()
  const store = useSessionStore()
  return useAction({
    mutationFn: (proof: FactorProof) =>
      store.hold(async () => {
        await verifyFactor(services, proof)
        return requireAdminAccess(services, await currentSession(await services.auth()))
      }),
    onSuccess: (session) => store.enter(session),
    onError: (error) => {
      if (!(error instanceof RequestError)) return
      if (error.code === 'no_admin_access') store.leave(NO_ADMIN_ACCESS)
      if (error.code === 'session_not_found') store.end()
    },
  })
}

/** A link that signs in, or confirms an address. Nothing happens until the person confirms. */
export function useFollowLink() {
  const services = useServices()
  const store = useSessionStore()
  return useAction({
    mutationFn: (proof: MailProof) =>
      store.hold(async () => {
        const session = await redeemMail(await services.auth(), proof)
        return session === null ? null : requireAdminAccess(services, session)
      }),
    onSuccess: (session) => {
      if (session !== null) store.enter(session)
    },
  })
}

export const recoverySchema = z.object({
  email: knownEmailSchema,
})

export type RecoveryRequest = z.infer<typeof recoverySchema>

/** The server gives the same response for every address. */
export function useRequestRecovery() {
  const { auth } = useServices()
  return useAction({
    mutationFn: async ({ email }: RecoveryRequest) =>
      unwrapAuth(
        (await auth()).resetPasswordForEmail(email.trim(), { redirectTo: `${location.origin}/admin` }),
      ),
  })
}

interface NewPassword {
  proof: MailProof
  password: string
  /** A code of the app or a recovery code, if needed. */
  code: string
}

/** Thrown if the account's second factor must be shown before its password can change. */
export class SecondFactorNeeded extends Error {
  override readonly name = 'SecondFactorNeeded'
}

/** From a recovery mail to a new password and into the dashboard. The mail is used once, however often this is tried. */
export function useSetNewPassword() {
  const services = useServices()
  const store = useSessionStore()
  const redeemed = useRef(false)
  return useAction({
    mutationFn: ({ proof, password, code }: NewPassword) =>
      store.hold(async () => {
        const auth = await services.auth()
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

/** Six digits come from the app; anything else is a recovery code. */
function toProof(factorId: string, code: string): FactorProof {
  return /^\d{3} ?\d{3}$/.test(code) ? { factorId, code } : { recoveryCode: code }
}

/** What proves that an email was read: its link, or its six digits. */
export type MailProof = { tokenHash: string; type: EmailOtpType } | { email: string; code: string }

/** Null after the first half of a change of address, which opens no session. */
async function redeemMail(auth: Auth, proof: MailProof): Promise<Session | null> {
  const answer =
    'tokenHash' in proof
      ? auth.verifyOtp({ token_hash: proof.tokenHash, type: proof.type })
      : auth.verifyOtp({ email: proof.email.trim(), token: proof.code.trim(), type: 'recovery' })
  return (await unwrapAuth(answer)).session
}

/** The passkey identifies the account; a second factor is asked for as after a password. */
export function useSignInWithPasskey() {
  const services = useServices()
  const store = useSessionStore()
  return useAction({
    mutationFn: (): Promise<Session> =>
      store.hold(async () => {
        const { data, error } = await (await services.auth()).signInWithPasskey()
        if (error !== null) throw toPasskeyError(error)
        if (data.session === null) throw new RequestError({ status: 0 })
        return requireAdminAccess(services, data.session)
      }),
    onSuccess: (session) => store.enter(session),
  })
}

export const credentialsSchema = z.object({
  email: knownEmailSchema,
  password: z.string().check(z.minLength(1, 'Digite sua senha.')),
})

export type Credentials = z.infer<typeof credentialsSchema>

/** Signs in, and lets nobody in who has no admin role. */
export function useSignIn() {
  const services = useServices()
  const store = useSessionStore()
  return useAction({
    mutationFn: (credentials: Credentials): Promise<Session> =>
      store.hold(async () => {
        const auth = await services.auth()
        const answer = await auth.signInWithPassword({ ...credentials, email: credentials.email.trim() })
        if (answer.error !== null) throw toRequestError(answer.error)
        return requireAdminAccess(services, answer.data.session)
      }),
    onSuccess: (session) => store.enter(session),
  })
}

/** A code of the app, a security key, or a recovery code. */
type FactorProof = { factorId: string; code: string } | { keyFactorId: string } | { recoveryCode: string }

const FEW_CODES = 3

/** Raises this tab's session; the client then holds the raised one. */
async function verifyFactor(services: Services, proof: FactorProof): Promise<void> {
  const auth = await services.auth()
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
    left === 0 ? 'Você usou seu último código' : `Você ainda tem ${formatCount(left, 'código', 'códigos')}`
  return `${rest} de recuperação. Gere novos em Minha conta.`
}
