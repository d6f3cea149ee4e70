import { useInfiniteQuery } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import type { SubscriptionPage, SubscriptionState } from '#contract/newsletter.ts'

export const SUBSCRIPTIONS_KEY = ['subscriptions'] as const

export interface SubscriptionWish {
  search: string
  status: SubscriptionState | 'all'
}

/** Who subscribed, the newest first, a page at a time. */
export function useSubscriptions({ search, status }: SubscriptionWish) {
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
