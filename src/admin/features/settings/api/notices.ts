import { useQuery } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import type { Notices } from '#contract/production-gap.ts'

/** What the installation lacks. That it cannot be read is nothing to trouble anybody with. */
export function useNotices() {
  const { admin } = useServices()
  return useQuery({
    queryKey: ['notices'],
    queryFn: async () => (await admin<Notices>('/notices')).gaps,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}
