import { useQuery } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import type { ConsentOverview } from '#contract/consent.ts'
import { siteDate } from '#contract/site.ts'

const REFRESH_MS = 60_000
const DAY_MS = 86_400_000

export const PERIODS = [
  { label: '7 dias', days: 7 },
  { label: '28 dias', days: 28 },
  { label: '90 dias', days: 90 },
] as const

export type Period = (typeof PERIODS)[number]

/** Days of the site, today the last of them. */
export function rangeOf({ days }: Period, now = Date.now()): { from: string; to: string } {
  const to = siteDate(now)
  return { from: new Date(Date.parse(to) - (days - 1) * DAY_MS).toISOString().slice(0, 10), to }
}

/** What people chose in a period, and whether its proof is in order. */
export function useConsent(period: Period) {
  const { admin } = useServices()
  return useQuery({
    queryKey: ['consent', period.days],
    queryFn: ({ signal }) =>
      admin<ConsentOverview>(`/consent?${new URLSearchParams(rangeOf(period))}`, { signal }),
    refetchInterval: REFRESH_MS,
    // The chart of before keeps its place, unseen, until the other one is there.
    placeholderData: (former) => former,
  })
}
