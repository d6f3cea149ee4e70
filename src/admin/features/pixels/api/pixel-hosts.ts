import { useQuery } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import type { PixelHost } from '#contract/tag-status.ts'
import { TAGS_KEY } from './tag-overview.ts'

export function hostsKey(pixelId: string) {
  return [...TAGS_KEY, pixelId, 'hosts'] as const
}

/** What the page's policy opens for one pixel, and where each entry comes from. */
export function usePixelHosts(pixelId: string) {
  const { admin } = useServices()
  return useQuery({
    queryKey: hostsKey(pixelId),
    queryFn: async ({ signal }) =>
      (await admin<{ hosts: PixelHost[] }>(`/tags/${pixelId}/hosts`, { signal })).hosts,
  })
}
