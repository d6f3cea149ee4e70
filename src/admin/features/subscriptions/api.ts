import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess, notifyWarning } from '#admin/components/toast.tsx'
import { saveFile } from '#admin/lib/api.ts'
import { useAction } from '#admin/lib/queries.ts'
import { useServices } from '#admin/lib/services.tsx'
import type {
  ErasedSubscription,
  Subscription,
  SubscriptionPage,
  SubscriptionState,
} from '#contract/newsletter.ts'

/** Retries one, or all that wait or failed. */
export function useRetry() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    of: (subscription: Subscription | null) => subscription?.id.toString() ?? 'all',
    mutationFn: (subscription: Subscription | null) =>
      admin<null>('/subscriptions/retry', {
        method: 'POST',
        body: subscription === null ? {} : { id: subscription.id },
      }),
    onSuccess: (_answer, subscription) =>
      notifySuccess(
        subscription === null
          ? 'Vamos tentar enviar de novo as inscrições pendentes'
          : `Vamos tentar enviar de novo: ${subscription.email}`,
      ),
    onError: (error) => notifyFailure('Não foi possível tentar o envio de novo.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: SUBSCRIPTIONS_KEY }),
  })
}

/** Erases a person by address. */
export function useErase() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    of: (email: string) => email,
    mutationFn: (email: string) =>
      admin<ErasedSubscription>('/subscriptions/erase', { method: 'POST', body: { email } }),
    onSuccess: ({ was_delivered }) => {
      if (was_delivered)
        notifyWarning('Dados excluídos', {
          description: 'O e-mail pode já ter sido enviado ao webhook. Peça a exclusão lá também.',
        })
      else notifySuccess('Dados excluídos')
    },
    onError: (error) => notifyFailure('Não foi possível excluir os dados.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: SUBSCRIPTIONS_KEY }),
  })
}

/** All of them, without filters. */
export function useExport() {
  const { admin } = useServices()
  return useAction({
    mutationFn: async () => saveFile(await admin.file('/subscriptions/export'), 'inscricoes.csv'),
    onError: (error) => notifyFailure('Não foi possível baixar as inscrições.', error),
  })
}

const SUBSCRIPTIONS_KEY = ['subscriptions'] as const

export interface SubscriptionFilter {
  search: string
  status: SubscriptionState | 'all'
}

/** Subscriptions, newest first, in pages. */
export function useSubscriptions({ search, status }: SubscriptionFilter) {
  const { admin } = useServices()
  return useInfiniteQuery({
    queryKey: [...SUBSCRIPTIONS_KEY, search, status],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({
        ...(search === '' ? {} : { search }),
        ...(status === 'all' ? {} : { status }),
        ...(pageParam === null ? {} : { before: pageParam }),
      }).toString()
      return admin<SubscriptionPage>(`/subscriptions${query === '' ? '' : `?${query}`}`, { signal })
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (former) => former,
  })
}
