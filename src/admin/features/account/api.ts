import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import { newPasswordSchema } from '#admin/components/form.tsx'
import { notifyFailure, notifySuccess } from '#admin/components/toast.tsx'
import { RequestError } from '#admin/lib/api.ts'
import { toPasskeyError, unwrapAuth } from '#admin/lib/auth-client.ts'
import { useAction } from '#admin/lib/queries.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { NewRecoveryCodes, OwnLogins, RecoveryCodesLeft } from '#contract/accounts.ts'
import type { AlertChoice, AlertKind } from '#contract/alerts.ts'
import { describeBrowser } from './browser-names.ts'

const ALERTS_KEY = ['account', 'alerts']

export function useAlerts() {
  const { admin } = useServices()
  return useQuery({ queryKey: ALERTS_KEY, queryFn: () => admin<AlertChoice>('/alerts') })
}

/**
 * What is chosen, and how to choose. A click is on screen before its event ends, and stored after those before it;
 * what could not be stored goes back to what it was.
 */
export function useChooseAlerts({ kinds }: AlertChoice) {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  const [wanted, setWanted] = useState<AlertKind[]>()
  const { mutate } = useAction({
    scope: { id: 'choose-alerts' },
    queued: true,
    mutationFn: (chosen: AlertKind[]) =>
      admin<AlertChoice>('/alerts', { method: 'PUT', body: { kinds: chosen } }),
    onError: (error) => notifyFailure('A escolha não foi salva.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ALERTS_KEY }),
  })
  const choose = (chosen: AlertKind[]) => {
    setWanted(chosen)
    // Called for the latest click only.
    mutate(chosen, { onSettled: () => setWanted(undefined) })
  }
  return { chosen: wanted ?? kinds, choose }
}

export const changePasswordSchema = z.object({
  current: z.string().check(z.minLength(1, 'Digite sua senha atual.')),
  password: newPasswordSchema,
})

export type PasswordChange = z.infer<typeof changePasswordSchema>

/** The current password is always asked for: whoever finds an open tab must not be able to keep it. */
export function useChangePassword() {
  const { auth } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: ({ current, password }: PasswordChange) =>
      unwrapAuth(auth.updateUser({ password, current_password: current })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['account'] }),
  })
}

const LOGINS_KEY = ['account', 'logins']

export function useLogins() {
  const { admin } = useServices()
  return useQuery({
    queryKey: LOGINS_KEY,
    queryFn: async () => (await admin<OwnLogins>('/logins')).logins,
  })
}

export function useEndLogin() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    of: (id: string) => id,
    mutationFn: (id: string) =>
      admin(`/logins/${id}`, { method: 'DELETE' }).catch((error: unknown) => {
        // Ended elsewhere meanwhile is ended all the same.
        if (!(error instanceof RequestError && error.status === 404)) throw error
      }),
    onSuccess: () => notifySuccess('Sessão encerrada'),
    onError: (error) => notifyFailure('A sessão não foi encerrada.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: LOGINS_KEY }),
  })
}

export function useEndOtherLogins() {
  const { auth } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: () =>
      unwrapAuth(auth.signOut({ scope: 'others' }).then(({ error }) => ({ data: null, error }))),
    onSuccess: () => notifySuccess('As outras sessões foram encerradas'),
    onError: (error) => notifyFailure('As outras sessões não foram encerradas.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: LOGINS_KEY }),
  })
}

const PASSKEYS_KEY = ['account', 'passkeys']

export interface Passkey {
  id: string
  friendly_name?: string
  created_at: string
  last_used_at?: string
}

export function usePasskeys() {
  const { auth } = useServices()
  return useQuery({
    queryKey: PASSKEYS_KEY,
    queryFn: async (): Promise<Passkey[]> => (await unwrapAuth(auth.passkey.list())) ?? [],
  })
}

/** Named after the browser that made it, which is how its owner will know it again. */
export function useCreatePasskey() {
  const { auth } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async () => {
      const { data, error } = await auth.registerPasskey()
      if (error !== null) throw toPasskeyError(error)
      await auth.passkey.update({ passkeyId: data.id, friendlyName: describeBrowser(navigator.userAgent) })
    },
    onSuccess: () => notifySuccess('Chave de acesso criada'),
    onError: (error) => notifyFailure('A chave de acesso não foi criada.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: PASSKEYS_KEY }),
  })
}

export function useRemovePasskey() {
  const { auth } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    of: (passkeyId: string) => passkeyId,
    mutationFn: (passkeyId: string) => unwrapAuth(auth.passkey.delete({ passkeyId })),
    onSuccess: () => notifySuccess('Chave de acesso removida'),
    onError: (error) => notifyFailure('A chave de acesso não foi removida.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: PASSKEYS_KEY }),
  })
}

const FACTOR_KEY = ['account', 'second-factor']

const FACTOR_NAME = 'Aplicativo autenticador'

interface SecondFactorState {
  /** The ids of the factors that count; none when it is off. */
  factorIds: string[]
  /** One of them shows codes; else all are keys of devices, which only other programs of ours can add. */
  hasApp: boolean
  codesLeft: number
}

export function useSecondFactor() {
  const services = useServices()
  return useQuery({
    queryKey: FACTOR_KEY,
    queryFn: async (): Promise<SecondFactorState> => {
      const { all, totp } = await unwrapAuth(services.auth.mfa.listFactors())
      const { left } = await services.admin<RecoveryCodesLeft>('/recovery-codes')
      const counting = all.filter(({ status }) => status === 'verified')
      return { factorIds: counting.map(({ id }) => id), hasApp: totp.length > 0, codesLeft: left }
    },
  })
}

export interface Enrolment {
  factorId: string
  qrCode: string
  secret: string
}

/** Starts anew each time: an enrolment that was left unfinished would hold its name. */
export function useEnrol() {
  const { auth } = useServices()
  return useAction({
    mutationFn: async (): Promise<Enrolment> => {
      const { all } = await unwrapAuth(auth.mfa.listFactors())
      for (const { id, status } of all) if (status === 'unverified') await auth.mfa.unenroll({ factorId: id })
      const factor = await unwrapAuth(auth.mfa.enroll({ factorType: 'totp', friendlyName: FACTOR_NAME }))
      if (factor.type !== 'totp') throw new RequestError({ status: 0 })
      return { factorId: factor.id, qrCode: factor.totp.qr_code, secret: factor.totp.secret }
    },
  })
}

/** The first right code switches it on, and brings the recovery codes, which are shown once; or why they were not made. */
export function useConfirmEnrolment() {
  const services = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async (proof: {
      factorId: string
      code: string
    }): Promise<{ codes: string[] } | { error: unknown }> => {
      await unwrapAuth(services.auth.mfa.challengeAndVerify(proof))
      // From here on it is on, whether or not the codes can be made.
      return services
        .admin<NewRecoveryCodes>('/recovery-codes', { method: 'POST' })
        .catch((error: unknown) => ({ error }))
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: FACTOR_KEY }),
  })
}

export function useNewRecoveryCodes() {
  const services = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async () =>
      (await services.admin<NewRecoveryCodes>('/recovery-codes', { method: 'POST' })).codes,
    onSettled: () => queryClient.invalidateQueries({ queryKey: FACTOR_KEY }),
  })
}

export function useSwitchOff() {
  const { auth } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async (factorIds: string[]) => {
      for (const factorId of factorIds) await unwrapAuth(auth.mfa.unenroll({ factorId }))
      // The token still says that a factor was shown.
      await unwrapAuth(auth.refreshSession())
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: FACTOR_KEY }),
  })
}
