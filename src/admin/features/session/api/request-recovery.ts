import { useMutation } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { knownEmailSchema } from '#admin/lib/form-rules.ts'
import { useServices } from '#admin/lib/services.tsx'
import { unwrapAuth } from '#admin/lib/unwrap-auth.ts'

export const recoverySchema = z.object({
  email: knownEmailSchema,
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
