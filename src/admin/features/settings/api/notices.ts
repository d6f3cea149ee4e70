import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import { useOneAtATime } from '#admin/lib/use-one-at-a-time.ts'
import type { Notices } from '#contract/admin-page.ts'

const NOTICES_KEY = ['notices']

/** What the installation lacks, and what is wrong with it. That it cannot be read is nothing to trouble anybody with. */
export function useNotices() {
  const { admin } = useServices()
  return useQuery({
    queryKey: NOTICES_KEY,
    queryFn: () => admin<Notices>('/notices'),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

/** Until the dashboard is opened again: nothing is kept in the browser, where a tag could have put it. */
export function useDismissNotices() {
  const queryClient = useQueryClient()
  return () => queryClient.setQueryData<Notices>(NOTICES_KEY, (known) => known && { ...known, gaps: [] })
}

/** Says that the server's clock is right: rows past their time are removed again. */
export function useConfirmClock() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useOneAtATime({
    mutationFn: () => admin<null>('/clock/confirm', { method: 'POST', body: {} }),
    onSuccess: () =>
      queryClient.setQueryData<Notices>(
        NOTICES_KEY,
        (known) =>
          known && { ...known, problems: known.problems.filter(({ code }) => code !== 'clock_jumped') },
      ),
  })
}
