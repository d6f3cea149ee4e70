import { useQuery, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/notify.ts'
import { useServices } from '#admin/lib/services.tsx'
import { useOneAtATime } from '#admin/lib/use-one-at-a-time.ts'
import type { PixelDeliveries, RetriedDeliveries } from '#contract/conversions.ts'
import { formatCount } from '#contract/format-count.ts'
import { TAGS_KEY } from '../api/tag-overview.ts'

const REFRESH_MS = 15_000

const deliveriesKey = (pixelId: string) => [...TAGS_KEY, pixelId, 'deliveries'] as const

/** What became of what the server sends for one pixel. */
export function useDeliveries(pixelId: string) {
  const { admin } = useServices()
  return useQuery({
    queryKey: deliveriesKey(pixelId),
    queryFn: ({ signal }) => admin<PixelDeliveries>(`/pixels/${pixelId}/deliveries`, { signal }),
    refetchInterval: REFRESH_MS,
  })
}

/** Tries now what waits, and goes on where sending was stopped. */
export function useRetryDeliveries(pixelId: string) {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useOneAtATime({
    mutationFn: () =>
      admin<RetriedDeliveries>(`/pixels/${pixelId}/deliveries/retry`, { method: 'POST', body: {} }),
    onSuccess: ({ waiting }) =>
      notifySuccess(
        waiting === 0
          ? 'O envio foi retomado'
          : `Nova tentativa: ${formatCount(waiting, 'evento na fila', 'eventos na fila')}`,
        { about: `retry-${pixelId}` },
      ),
    onError: (error) => notifyFailure('Não deu para tentar de novo.', error),
    // The stop is a reason of the pixel's health too.
    onSettled: () => queryClient.invalidateQueries({ queryKey: TAGS_KEY }),
  })
}
