import { type AuthError, isAuthWeakPasswordError, type Session } from '@supabase/auth-js'
import { useMutation } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { isEmail } from '#contract/email.ts'
import { NO_ADMIN_ACCESS } from '#contract/error-messages.ts'
import { RequestError } from '../../../lib/request-error.ts'
import { useServices } from '../../../lib/services.tsx'
import { checkAccess } from './check-access.ts'
import { useSessionStore } from './session-context.tsx'

export const credentialsSchema = z.object({
  email: z.string().check(z.refine(isEmail, 'Digite um e-mail válido.')),
  password: z.string().check(z.minLength(1, 'Digite sua senha.')),
})

export type Credentials = z.infer<typeof credentialsSchema>

/** Signs in, and lets nobody in who has no admin role. */
export function useSignIn() {
  const { auth, data } = useServices()
  const store = useSessionStore()
  return useMutation({
    mutationFn: (credentials: Credentials): Promise<Session> =>
      store.hold(async () => {
        const answer = await auth.signInWithPassword({ ...credentials, email: credentials.email.trim() })
        if (answer.error !== null) throw toRequestError(answer.error)
        const { session } = answer.data
        if ((await checkAccess(data, session.user.id)) === 'granted') return session
        await auth.signOut({ scope: 'local' })
        throw new RequestError({ status: 403, code: 'no_admin_access', message: NO_ADMIN_ACCESS })
      }),
    onSuccess: (session) => store.enter(session),
  })
}

function toRequestError(error: AuthError): RequestError {
  return new RequestError({
    status: error.status ?? 0,
    code: error.code ?? null,
    message: error.message,
    reasons: isAuthWeakPasswordError(error) ? error.reasons : [],
  })
}
