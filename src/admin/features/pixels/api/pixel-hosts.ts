import { useQuery } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import type { PixelHost } from '#contract/tag-status.ts'
import { TAGS_KEY } from './tag-overview.ts'

/** What the page's policy opens for one pixel, and where each entry comes from. */
export function usePixelHosts(pixelId: string) {
  const { admin } = useServices()
  return useQuery({
    queryKey: [...TAGS_KEY, pixelId, 'hosts'],
    queryFn: async ({ signal }) =>
      (await admin<{ hosts: PixelHost[] }>(`/tags/${pixelId}/hosts`, { signal })).hosts,
  })
}
