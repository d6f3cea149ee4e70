import { useQuery } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import type { Today } from '#contract/visit-results.ts'

const REFRESH_MS = 60_000

/** The site's day so far. */
export function useToday() {
  const { admin } = useServices()
  return useQuery({
    queryKey: ['today'],
    queryFn: ({ signal }) => admin<Today>('/today', { signal }),
    refetchInterval: REFRESH_MS,
  })
}
