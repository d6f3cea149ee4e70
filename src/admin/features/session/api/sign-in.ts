import type { Session } from '@supabase/auth-js'
import { useMutation } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { knownEmailSchema } from '#admin/lib/form-rules.ts'
import { useServices } from '#admin/lib/services.tsx'
import { toRequestError } from '#admin/lib/unwrap-auth.ts'
import { requireAdminAccess } from './require-admin-access.ts'
import { useSessionStore } from './session-context.tsx'

export const credentialsSchema = z.object({
  email: knownEmailSchema,
  password: z.string().check(z.minLength(1, 'Digite sua senha.')),
})

export type Credentials = z.infer<typeof credentialsSchema>

/** Signs in, and lets nobody in who has no admin role. */
export function useSignIn() {
  const services = useServices()
  const { auth } = services
  const store = useSessionStore()
  return useMutation({
    mutationFn: (credentials: Credentials): Promise<Session> =>
      store.hold(async () => {
        const answer = await auth.signInWithPassword({ ...credentials, email: credentials.email.trim() })
        if (answer.error !== null) throw toRequestError(answer.error)
        return requireAdminAccess(services, answer.data.session)
      }),
    onSuccess: (session) => store.enter(session),
  })
}
