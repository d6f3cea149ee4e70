import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import { newPasswordSchema } from '#admin/components/form.tsx'
import { notifyFailure, notifySuccess, notifyUnsaved } from '#admin/components/toast.tsx'
import { RequestError } from '#admin/lib/api.ts'
import { toPasskeyError, toRequestError, unwrapAuth } from '#admin/lib/auth-client.ts'
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
 * The selected alerts. A click is shown at once and stored after earlier ones; what could not be stored is reverted.
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
    onError: notifyUnsaved,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ALERTS_KEY }),
  })
  const choose = (chosen: AlertKind[]) => {
    setWanted(chosen)
    // Called for the latest click only.
    mutate(chosen, { onSettled: () => setWanted(undefined) })
  }
  return { chosen: wanted ?? kinds, choose }
}

/** The summary of the week, switched on or off. Shown at once, reverted if it could not be stored. */
export function useChooseSummary({ weekly_summary }: AlertChoice) {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  const [wanted, setWanted] = useState<boolean>()
  const { mutate } = useAction({
    scope: { id: 'choose-alerts' },
    queued: true,
    mutationFn: (isWanted: boolean) =>
      admin<AlertChoice>('/alerts', { method: 'PUT', body: { weekly_summary: isWanted } }),
    onError: notifyUnsaved,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ALERTS_KEY }),
  })
  const choose = (isWanted: boolean) => {
    setWanted(isWanted)
    mutate(isWanted, { onSettled: () => setWanted(undefined) })
  }
  return { isWanted: wanted ?? weekly_summary, choose }
}

export const changePasswordSchema = z.object({
  current: z.string().check(z.minLength(1, 'Digite sua senha atual.')),
  password: newPasswordSchema,
})

export type PasswordChange = z.infer<typeof changePasswordSchema>

/** The current password is always required: an open tab must not be enough to take the account over. */
export function useChangePassword() {
  const { auth } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async ({ current, password }: PasswordChange) =>
      unwrapAuth((await auth()).updateUser({ password, current_password: current })),
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
        // A session that ended elsewhere counts as ended.
        if (!(error instanceof RequestError && error.status === 404)) throw error
      }),
    onSuccess: () => notifySuccess('Sessão encerrada'),
    onError: (error) => notifyFailure('Não foi possível encerrar a sessão.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: LOGINS_KEY }),
  })
}

export function useEndOtherLogins() {
  const { auth } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async () => {
      const { error } = await (await auth()).signOut({ scope: 'others' })
      if (error !== null) throw toRequestError(error)
    },
    onSuccess: () => notifySuccess('Outras sessões encerradas'),
    onError: (error) => notifyFailure('Não foi possível encerrar as outras sessões.', error),
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
    queryFn: async (): Promise<Passkey[]> => (await unwrapAuth((await auth()).passkey.list())) ?? [],
  })
}

/** Named after the browser that made it, which is how its owner will know it again. */
export function useCreatePasskey() {
  const { auth } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async () => {
      const client = await auth()
      const { data, error } = await client.registerPasskey()
      if (error !== null) throw toPasskeyError(error)
      await client.passkey.update({ passkeyId: data.id, friendlyName: describeBrowser(navigator.userAgent) })
    },
    onSuccess: () => notifySuccess('Chave de acesso criada'),
    onError: (error) => notifyFailure('Não foi possível criar a chave de acesso.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: PASSKEYS_KEY }),
  })
}

export function useRemovePasskey() {
  const { auth } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    of: (passkeyId: string) => passkeyId,
    mutationFn: async (passkeyId: string) => unwrapAuth((await auth()).passkey.delete({ passkeyId })),
    onSuccess: () => notifySuccess('Chave de acesso removida'),
    onError: (error) => notifyFailure('Não foi possível remover a chave de acesso.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: PASSKEYS_KEY }),
  })
}

const FACTOR_KEY = ['account', 'second-factor']

const FACTOR_NAME = 'Aplicativo autenticador'

interface SecondFactorState {
  /** Ids of verified factors; empty if the second factor is off. */
  factorIds: string[]
  /** One is an authenticator app; otherwise all are security keys, which only other programs can add. */
  hasApp: boolean
  codesLeft: number
}

export function useSecondFactor() {
  const services = useServices()
  return useQuery({
    queryKey: FACTOR_KEY,
    queryFn: async (): Promise<SecondFactorState> => {
      const { all, totp } = await unwrapAuth((await services.auth()).mfa.listFactors())
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

/** Starts over each time: an unfinished enrolment would keep its name. */
export function useEnrol() {
  const { auth } = useServices()
  return useAction({
    mutationFn: async (): Promise<Enrolment> => {
      const { mfa } = await auth()
      const { all } = await unwrapAuth(mfa.listFactors())
      for (const { id, status } of all) if (status === 'unverified') await mfa.unenroll({ factorId: id })
      const factor = await unwrapAuth(mfa.enroll({ factorType: 'totp', friendlyName: FACTOR_NAME }))
      if (factor.type !== 'totp') throw new RequestError({ status: 0 })
      return { factorId: factor.id, qrCode: factor.totp.qr_code, secret: factor.totp.secret }
    },
  })
}

/**
 * The first right code activates it and returns the recovery codes, which are shown once; or why they could not be
 * made.
 */
export function useConfirmEnrolment() {
  const services = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async (proof: {
      factorId: string
      code: string
    }): Promise<{ codes: string[] } | { error: unknown }> => {
      await unwrapAuth((await services.auth()).mfa.challengeAndVerify(proof))
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
      const client = await auth()
      for (const factorId of factorIds) await unwrapAuth(client.mfa.unenroll({ factorId }))
      // The token still says that a factor was shown.
      await unwrapAuth(client.refreshSession())
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: FACTOR_KEY }),
  })
}
