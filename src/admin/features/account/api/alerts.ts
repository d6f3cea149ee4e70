import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { notifyFailure } from '#admin/components/notify.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { AlertChoice, AlertKind } from '#contract/alerts.ts'

const ALERTS_KEY = ['account', 'alerts']

export function useAlerts() {
  const { admin } = useServices()
  return useQuery({ queryKey: ALERTS_KEY, queryFn: () => admin<AlertChoice>('/alerts') })
}

/**
 * What is chosen, and how to choose. A click is on screen before its event ends, and stored after those before it;
 * what could not be stored goes back to what it was.
 */
export function useChooseAlerts({ kinds }: AlertChoice) {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  const [wanted, setWanted] = useState<AlertKind[]>()
  const { mutate } = useMutation({
    scope: { id: 'choose-alerts' },
    mutationFn: (chosen: AlertKind[]) =>
      admin<AlertChoice>('/alerts', { method: 'PUT', body: { kinds: chosen } }),
    onError: (error) => notifyFailure('A escolha não foi salva.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ALERTS_KEY }),
  })
  const choose = (chosen: AlertKind[]) => {
    setWanted(chosen)
    // Called for the latest click only.
    mutate(chosen, { onSettled: () => setWanted(undefined) })
  }
  return { chosen: wanted ?? kinds, choose }
}
