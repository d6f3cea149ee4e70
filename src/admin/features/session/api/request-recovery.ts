import { useMutation } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { mayBeKnownEmail } from '#contract/known-email.ts'
import { useServices } from '../../../lib/services.tsx'
import { unwrapAuth } from '../../../lib/unwrap-auth.ts'

export const recoverySchema = z.object({
  email: z.string().check(z.refine(mayBeKnownEmail, 'Digite um e-mail válido.')),
})

export type RecoveryRequest = z.infer<typeof recoverySchema>

/** The server answers the same whether or not anybody has that address. */
export function useRequestRecovery() {
  const { auth } = useServices()
  return useMutation({
    mutationFn: ({ email }: RecoveryRequest) =>
      unwrapAuth(auth.resetPasswordForEmail(email.trim(), { redirectTo: `${location.origin}/admin` })),
  })
}
