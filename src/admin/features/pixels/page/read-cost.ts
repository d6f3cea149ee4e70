import { useQuery } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import type { PixelCost } from '#contract/tag-cost.ts'
import { TAGS_KEY } from '../api/tag-overview.ts'

const REFRESH_MS = 60_000

/** What the pixel costs a visit, and all of them together. */
export function useCost(pixelId: string) {
  const { admin } = useServices()
  return useQuery({
    queryKey: [...TAGS_KEY, pixelId, 'cost'],
    queryFn: ({ signal }) => admin<PixelCost>(`/pixels/${pixelId}/cost`, { signal }),
    refetchInterval: REFRESH_MS,
  })
}
