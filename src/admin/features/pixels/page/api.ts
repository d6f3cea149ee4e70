import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/toast.tsx'
import { useAction } from '#admin/lib/queries.ts'
import { useParameter } from '#admin/lib/router.tsx'
import { useServices } from '#admin/lib/services.tsx'
import type { PixelDeliveries, RetriedDeliveries } from '#contract/conversions.ts'
import { formatCount } from '#contract/format-count.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelHistory, PixelVersion } from '#contract/pixel-history.ts'
import type { PixelCost } from '#contract/tag-cost.ts'
import type { ConversionCount, LedgerStep, PixelLedger } from '#contract/visit-results.ts'
import { aboutPixel, PIXELS_KEY } from '../api.ts'
import { TAGS_KEY } from '../tag-status.ts'

const COST_REFRESH_MS = 60_000

/** What the pixel costs a visit, and all of them together. */
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
  return useAction({
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

const historyKey = (pixelId: string) => ['history', pixelId] as const

/** The versions of a pixel, the newest first. A change of the pixel is another version. */
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

/** Writes an older version's content again. */
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
    onError: (error) => notifyFailure('Não deu para restaurar esta versão.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: historyKey(id) }),
  })
}

const DAY_MS = 86_400_000

export interface Period {
  /** What the address calls it. */
  word: string
  label: string
  step: LedgerStep
  /** How many hours or days, the current one among them. */
  count: number
}

export const PERIODS = [
  { word: '24h', label: '24 horas', step: 'hour', count: 24 },
  { word: '7d', label: '7 dias', step: 'day', count: 7 },
  { word: '30d', label: '30 dias', step: 'day', count: 30 },
  { word: '90d', label: '90 dias', step: 'day', count: 90 },
] as const satisfies Period[]

/** The period that the address names. */
export function useVisitPeriod(): [Period, (period: Period) => void] {
  const [word, setWord] = useParameter('periodo')
  const period = PERIODS.find((each) => each.word === word) ?? PERIODS[0]
  return [period, (next) => setWord(next === PERIODS[0] ? null : next.word)]
}

/** What became of the visits of one pixel. */
export function useVisitResults(pixelId: string, { step, count }: Period) {
  const { admin } = useServices()
  return useQuery({
    queryKey: [...TAGS_KEY, pixelId, 'ledger', step, count],
    queryFn: ({ signal }) => {
      const length = step === 'hour' ? (count - 1) * (DAY_MS / 24) : (count - 1) * DAY_MS
      const query = new URLSearchParams({ step, from: new Date(Date.now() - length).toISOString() })
      return admin<PixelLedger>(`/pixels/${pixelId}/ledger?${query}`, { signal })
    },
    refetchInterval: REFRESH_MS,
    // The chart of before keeps its place, unseen, until the other one is there.
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
