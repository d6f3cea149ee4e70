import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/notify.ts'
import { toPasskeyError } from '#admin/lib/passkeys.ts'
import { useServices } from '#admin/lib/services.tsx'
import { unwrapAuth } from '#admin/lib/unwrap-auth.ts'
import { useOneAtATime } from '#admin/lib/use-one-at-a-time.ts'
import { describeBrowser } from '../describe-browser.ts'

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
  return useOneAtATime({
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
  return useMutation({
    mutationFn: (passkeyId: string) => unwrapAuth(auth.passkey.delete({ passkeyId })),
    onSuccess: () => notifySuccess('Chave de acesso removida'),
    onError: (error) => notifyFailure('A chave de acesso não foi removida.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: PASSKEYS_KEY }),
  })
}
