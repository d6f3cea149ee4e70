import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import type { Notices } from '#contract/production-gap.ts'

const NOTICES_KEY = ['notices']

/** What the installation lacks. That it cannot be read is nothing to trouble anybody with. */
export function useNotices() {
  const { admin } = useServices()
  return useQuery({
    queryKey: NOTICES_KEY,
    queryFn: async () => (await admin<Notices>('/notices')).gaps,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

/** Until the dashboard is opened again: nothing is kept in the browser, where a tag could have put it. */
export function useDismissNotices() {
  const queryClient = useQueryClient()
  return () => queryClient.setQueryData<Notices['gaps']>(NOTICES_KEY, [])
}
