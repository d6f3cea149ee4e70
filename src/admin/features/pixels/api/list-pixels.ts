import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Data } from '#admin/lib/clients.ts'
import { useServices } from '#admin/lib/services.tsx'
import { unwrap } from '#admin/lib/unwrap.ts'
import type { Pixel } from '#contract/pixel.ts'

export const PIXELS_KEY = ['pixels'] as const

function pixelsQuery(data: Data) {
  return queryOptions({
    queryKey: PIXELS_KEY,
    queryFn: ({ signal }): Promise<Pixel[]> =>
      unwrap(
        data
          .from('tracking_pixels')
          .select('*')
          .order('created_at', { ascending: false })
          .abortSignal(signal),
      ),
  })
}

/** Every pixel, newest first. */
export function usePixels() {
  return useQuery(pixelsQuery(useServices().data))
}
