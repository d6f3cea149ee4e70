import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/notify.ts'
import { RequestError } from '#admin/lib/request-error.ts'
import { useServices } from '#admin/lib/services.tsx'
import { unwrapAuth } from '#admin/lib/unwrap-auth.ts'
import { useOneAtATime } from '#admin/lib/use-one-at-a-time.ts'
import type { OwnLogins } from '#contract/accounts.ts'

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
  return useOneAtATime({
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
  return useMutation({
    mutationFn: () =>
      unwrapAuth(auth.signOut({ scope: 'others' }).then(({ error }) => ({ data: null, error }))),
    onSuccess: () => notifySuccess('As outras sessões foram encerradas'),
    onError: (error) => notifyFailure('As outras sessões não foram encerradas.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: LOGINS_KEY }),
  })
}
