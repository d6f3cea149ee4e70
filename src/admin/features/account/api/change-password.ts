import { useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { newPasswordSchema } from '#admin/lib/form-rules.ts'
import { useServices } from '#admin/lib/services.tsx'
import { unwrapAuth } from '#admin/lib/unwrap-auth.ts'
import { useOneAtATime } from '#admin/lib/use-one-at-a-time.ts'

export const changePasswordSchema = z.object({
  current: z.string().check(z.minLength(1, 'Digite sua senha atual.')),
  password: newPasswordSchema,
})

export type PasswordChange = z.infer<typeof changePasswordSchema>

/** The current password is always asked for: whoever finds an open tab must not be able to keep it. */
export function useChangePassword() {
  const { auth } = useServices()
  const queryClient = useQueryClient()
  return useOneAtATime({
    mutationFn: ({ current, password }: PasswordChange) =>
      unwrapAuth(auth.updateUser({ password, current_password: current })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['account'] }),
  })
}
