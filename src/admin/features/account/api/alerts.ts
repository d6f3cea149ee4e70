import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { notifyFailure } from '#admin/components/notify.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { AlertChoice, AlertKind } from '#contract/alerts.ts'

const ALERTS_KEY = ['account', 'alerts']

export function useAlerts() {
  const { admin } = useServices()
  return useQuery({ queryKey: ALERTS_KEY, queryFn: () => admin<AlertChoice>('/alerts') })
}

/** On screen at once; what could not be stored goes back to what it was. */
export function useChooseAlerts() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (kinds: AlertKind[]) => admin<AlertChoice>('/alerts', { method: 'PUT', body: { kinds } }),
    onMutate: async (kinds) => {
      await queryClient.cancelQueries({ queryKey: ALERTS_KEY })
      queryClient.setQueryData<AlertChoice>(ALERTS_KEY, (former) => former && { ...former, kinds })
    },
    onError: (error) => notifyFailure('A escolha não foi salva.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ALERTS_KEY }),
  })
}
