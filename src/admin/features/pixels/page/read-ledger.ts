import { useQuery } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import type { ConversionCount, LedgerStep, PixelLedger } from '#contract/visit-results.ts'
import { TAGS_KEY } from '../api/tag-overview.ts'

const REFRESH_MS = 60_000
const DAY_MS = 86_400_000

export interface Period {
  label: string
  step: LedgerStep
  /** How many hours or days, the current one among them. */
  count: number
}

export const PERIODS = [
  { label: '24 horas', step: 'hour', count: 24 },
  { label: '7 dias', step: 'day', count: 7 },
  { label: '30 dias', step: 'day', count: 30 },
  { label: '90 dias', step: 'day', count: 90 },
] as const satisfies Period[]

/** What became of the visits of one pixel. */
export function useLedger(pixelId: string, { step, count }: Period) {
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

/** What was told to the vendor in the last 24 hours. */
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
