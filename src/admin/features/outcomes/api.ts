import { useQuery, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/toast.tsx'
import { useAction } from '#admin/lib/queries.ts'
import { useServices } from '#admin/lib/services.tsx'
import type {
  CreatedOutcomeKey,
  OutcomeEventInput,
  OutcomeKey,
  OutcomeMode,
  OutcomeReport,
} from '#contract/outcomes.ts'

export const PERIODS = ['7', '30', '90'] as const
export type Period = (typeof PERIODS)[number]

const OUTCOMES_KEY = ['outcomes'] as const

/** Somebody who tests an integration waits for the next call. */
const TEST_REFRESH_MS = 4_000

export function useOutcomes(mode: OutcomeMode, days: Period) {
  const { admin } = useServices()
  return useQuery({
    queryKey: [...OUTCOMES_KEY, mode, days],
    queryFn: ({ signal }) => admin<OutcomeReport>(`/outcomes?mode=${mode}&days=${days}`, { signal }),
    placeholderData: (former) => (former?.mode === mode ? former : undefined),
    ...(mode === 'test' ? { refetchInterval: TEST_REFRESH_MS } : {}),
  })
}

function useRefresh() {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: OUTCOMES_KEY })
}

export interface NewKey {
  name: string
  mode: OutcomeMode
}

/** The answer alone has the key: it is kept in the screen's state, and in no cache. */
export function useMakeKey() {
  const { admin } = useServices()
  return useAction({
    mutationFn: (key: NewKey) => admin<CreatedOutcomeKey>('/outcomes/keys', { method: 'POST', body: key }),
    gcTime: 0,
    onSettled: useRefresh(),
  })
}

export function useRevokeKey() {
  const { admin } = useServices()
  return useAction({
    of: ({ id }: OutcomeKey) => id,
    mutationFn: ({ id }: OutcomeKey) => admin<null>(`/outcomes/keys/${id}`, { method: 'DELETE' }),
    onSuccess: (_answer, { name }) => notifySuccess(`Chave "${name}" revogada`),
    onError: (error) => notifyFailure('Não foi possível revogar a chave.', error),
    onSettled: useRefresh(),
  })
}

export interface NameInput {
  name: string
  label: string
}

export function useDeclareName() {
  const { admin } = useServices()
  return useAction({
    mutationFn: (input: NameInput) => admin<NameInput>('/outcomes/names', { method: 'POST', body: input }),
    onSuccess: ({ label }) => notifySuccess(`Resultado "${label}" criado`),
    onSettled: useRefresh(),
  })
}

interface ChosenEvent extends OutcomeEventInput {
  name: string
  pixelId: string
}

export function useChooseEvent() {
  const { admin } = useServices()
  return useAction({
    mutationFn: ({ name, pixelId, event, sends_value }: ChosenEvent) =>
      admin<null>(`/outcomes/names/${name}/destinations/${pixelId}`, {
        method: 'PUT',
        body: { event, sends_value },
      }),
    onSuccess: (_answer, { event }) =>
      notifySuccess(event === null ? 'Este resultado não será enviado' : `Será enviado como ${event}`),
    onSettled: useRefresh(),
  })
}

export function useRelabel() {
  const { admin } = useServices()
  return useAction({
    mutationFn: ({ name, label }: NameInput) =>
      admin<NameInput>(`/outcomes/names/${name}`, { method: 'PUT', body: { label } }),
    onSuccess: ({ label }) => notifySuccess(`Agora se chama "${label}"`),
    onSettled: useRefresh(),
  })
}
