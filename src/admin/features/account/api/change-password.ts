import { useMutation, useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '#contract/admin-user.ts'
import { useServices } from '../../../lib/services.tsx'
import { unwrapAuth } from '../../../lib/unwrap-auth.ts'

const RIGHT_LENGTH = `Use de ${PASSWORD_MIN_LENGTH} a ${PASSWORD_MAX_LENGTH} caracteres.`

export const changePasswordSchema = z.object({
  current: z.string().check(z.minLength(1, 'Digite sua senha atual.')),
  password: z
    .string()
    .check(z.minLength(PASSWORD_MIN_LENGTH, RIGHT_LENGTH), z.maxLength(PASSWORD_MAX_LENGTH, RIGHT_LENGTH)),
})

export type PasswordChange = z.infer<typeof changePasswordSchema>

/** The current password is always asked for: whoever finds an open tab must not be able to keep it. */
export function useChangePassword() {
  const { auth } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ current, password }: PasswordChange) =>
      unwrapAuth(auth.updateUser({ password, current_password: current })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['account'] }),
  })
}
