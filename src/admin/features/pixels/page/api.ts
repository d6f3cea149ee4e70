import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/toast.tsx'
import { useAction } from '#admin/lib/queries.ts'
import { useParameter } from '#admin/lib/router.tsx'
import { useServices } from '#admin/lib/services.tsx'
import type { PixelDeliveries, RetriedDeliveries } from '#contract/conversions.ts'
import { DAY_MS, MINUTE_MS } from '#contract/durations.ts'
import { formatCount } from '#contract/format-count.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelHistory, PixelVersion } from '#contract/pixel-history.ts'
import type { PixelCost } from '#contract/tag-cost.ts'
import type { ConversionCount, VisitResultStep, VisitResults } from '#contract/visit-results.ts'
import { aboutPixel, PIXELS_KEY } from '../api.ts'
import { TAGS_KEY } from '../tag-status.ts'

const COST_REFRESH_MS = MINUTE_MS

/** Costs of the pixel per visit, and of all tags. */
export function useCost(pixelId: string) {
  const { admin } = useServices()
  return useQuery({
    queryKey: [...TAGS_KEY, pixelId, 'cost'],
    queryFn: ({ signal }) => admin<PixelCost>(`/pixels/${pixelId}/cost`, { signal }),
    refetchInterval: COST_REFRESH_MS,
  })
}

const REFRESH_MS = 15_000

const deliveriesKey = (pixelId: string) => [...TAGS_KEY, pixelId, 'deliveries'] as const

/** Results of what the server sends for one pixel. */
export function useDeliveries(pixelId: string) {
  const { admin } = useServices()
  return useQuery({
    queryKey: deliveriesKey(pixelId),
    queryFn: ({ signal }) => admin<PixelDeliveries>(`/pixels/${pixelId}/deliveries`, { signal }),
    refetchInterval: REFRESH_MS,
  })
}

/** Retries waiting events now and lifts a stop. */
export function useRetryDeliveries(pixelId: string) {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: () =>
      admin<RetriedDeliveries>(`/pixels/${pixelId}/deliveries/retry`, { method: 'POST', body: {} }),
    onSuccess: ({ waiting }) =>
      notifySuccess(
        waiting === 0
          ? 'Envio retomado'
          : `Tentando enviar de novo: ${formatCount(waiting, 'evento na fila', 'eventos na fila')}`,
        { about: `retry-${pixelId}` },
      ),
    onError: (error) => notifyFailure('Não foi possível tentar o envio de novo.', error),
    // The stop is a reason of the pixel's health too.
    onSettled: () => queryClient.invalidateQueries({ queryKey: TAGS_KEY }),
  })
}

const historyKey = (pixelId: string) => ['history', pixelId] as const

/** The versions of a pixel, newest first. A change of the pixel is a new version. */
export function useHistory({ id, updated_at }: Pick<Pixel, 'id' | 'updated_at'>) {
  const { admin } = useServices()
  return useInfiniteQuery({
    queryKey: [...historyKey(id), updated_at],
    queryFn: ({ pageParam, signal }) =>
      admin<PixelHistory>(
        `/pixels/${id}/history${pageParam === null ? '' : `?before=${encodeURIComponent(pageParam)}`}`,
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (former) => former,
  })
}

/** Restores an older version's content. */
export function useRestoreVersion({ id, name }: Pick<Pixel, 'id' | 'name'>) {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: ({ version }: { version: PixelVersion; undo?: () => void }) =>
      admin<null>(`/pixels/${id}/restore`, { method: 'POST', body: { version: version.id } }),
    onSuccess: async (_answer, { undo }) => {
      notifySuccess(`Versão restaurada: ${name}`, {
        about: aboutPixel(id),
        ...(undo === undefined ? {} : { undo }),
      })
      await queryClient.invalidateQueries({ queryKey: PIXELS_KEY })
    },
    onError: (error) => notifyFailure('Não foi possível restaurar esta versão.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: historyKey(id) }),
  })
}

export interface Period {
  /** Its word in the address. */
  word: string
  label: string
  step: VisitResultStep
  /** Number of hours or days, including the current one. */
  count: number
}

export const PERIODS = [
  { word: '24h', label: '24 horas', step: 'hour', count: 24 },
  { word: '7d', label: '7 dias', step: 'day', count: 7 },
  { word: '30d', label: '30 dias', step: 'day', count: 30 },
  { word: '90d', label: '90 dias', step: 'day', count: 90 },
] as const satisfies Period[]

/** The period in the address. */
export function useVisitPeriod(): [Period, (period: Period) => void] {
  const [word, setWord] = useParameter('periodo')
  const period = PERIODS.find((each) => each.word === word) ?? PERIODS[0]
  return [period, (next) => setWord(next === PERIODS[0] ? null : next.word)]
}

/** Visit results of one pixel. */
export function useVisitResults(pixelId: string, { step, count }: Period) {
  const { admin } = useServices()
  return useQuery({
    queryKey: [...TAGS_KEY, pixelId, 'ledger', step, count],
    queryFn: ({ signal }) => {
      const length = step === 'hour' ? (count - 1) * (DAY_MS / 24) : (count - 1) * DAY_MS
      const query = new URLSearchParams({ step, from: new Date(Date.now() - length).toISOString() })
      return admin<VisitResults>(`/pixels/${pixelId}/ledger?${query}`, { signal })
    },
    refetchInterval: REFRESH_MS,
    // The previous chart keeps its place, hidden, until the new one is loaded.
    placeholderData: (former) => former,
  })
}

/** Conversions that the page sent to the vendor in the last 24 hours. */
export function useConversions(pixelId: string) {
  const { admin } = useServices()
  return useQuery({
    queryKey: [...TAGS_KEY, pixelId, 'conversions'],
    queryFn: async ({ signal }) =>
      (await admin<{ conversions: ConversionCount[] }>(`/pixels/${pixelId}/conversions`, { signal }))
        .conversions,
    refetchInterval: REFRESH_MS,
  })
}
