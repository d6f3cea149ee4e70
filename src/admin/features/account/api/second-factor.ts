import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RequestError } from '#admin/lib/request-error.ts'
import { useServices } from '#admin/lib/services.tsx'
import { unwrapAuth } from '#admin/lib/unwrap-auth.ts'
import { useOneAtATime } from '#admin/lib/use-one-at-a-time.ts'
import type { NewRecoveryCodes, RecoveryCodesLeft } from '#contract/accounts.ts'

const FACTOR_KEY = ['account', 'second-factor']
const FACTOR_NAME = 'Aplicativo autenticador'

export interface SecondFactorState {
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
  return useOneAtATime({
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
  return useOneAtATime({
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
  return useOneAtATime({
    mutationFn: async () =>
      (await services.admin<NewRecoveryCodes>('/recovery-codes', { method: 'POST' })).codes,
    onSettled: () => queryClient.invalidateQueries({ queryKey: FACTOR_KEY }),
  })
}

export function useSwitchOff() {
  const { auth } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async (factorIds: string[]) => {
      for (const factorId of factorIds) await unwrapAuth(auth.mfa.unenroll({ factorId }))
      // The token still says that a factor was shown.
      await unwrapAuth(auth.refreshSession())
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: FACTOR_KEY }),
  })
}
