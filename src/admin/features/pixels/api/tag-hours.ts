import { useQuery } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import type { TagHour } from '#contract/tag-status.ts'
import { TAGS_KEY } from './tag-overview.ts'

const REFRESH_MS = 60_000

/** The last 24 hours of one pixel, oldest first. */
export function useTagHours(pixelId: string) {
  const { admin } = useServices()
  return useQuery({
    queryKey: [...TAGS_KEY, pixelId, 'hours'],
    queryFn: async ({ signal }) =>
      (await admin<{ hours: TagHour[] }>(`/tags/${pixelId}/hours`, { signal })).hours,
    refetchInterval: REFRESH_MS,
  })
}
