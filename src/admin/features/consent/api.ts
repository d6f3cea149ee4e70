import { useQuery } from '@tanstack/react-query'
import { notifyFailure } from '#admin/components/toast.tsx'
import { saveFile } from '#admin/lib/api.ts'
import { useAction } from '#admin/lib/queries.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { ConsentOverview, FoundRecord } from '#contract/consent.ts'
import { DAY_MS, MINUTE_MS } from '#contract/durations.ts'
import { siteDate } from '#contract/site.ts'

interface DayRange {
  from: string
  to: string
}

/** The figures of a period as CSV. */
export function useSaveFigures() {
  const { admin } = useServices()
  return useAction({
    mutationFn: async (range: DayRange) =>
      saveFile(
        await admin.file(`/consent/export?${new URLSearchParams({ ...range })}`),
        `consentimento-${range.from}-a-${range.to}.csv`,
      ),
    onError: (error) => notifyFailure('Não foi possível baixar os números.', error),
  })
}

/** The dossier of a period, as HTML or JSON. */
export function useSaveDossier() {
  const { admin } = useServices()
  return useAction({
    mutationFn: async ({ format, ...range }: DayRange & { format: 'html' | 'json' }) =>
      saveFile(
        await admin.file(`/consent/dossier?${new URLSearchParams({ ...range, format })}`),
        `dossie-${range.from}-a-${range.to}.${format}`,
      ),
    onError: (error) => notifyFailure('Não foi possível gerar o dossiê.', error),
  })
}

/** The consent records of a period with their checkpoints, for verification. */
export function useSaveRecords() {
  const { admin } = useServices()
  return useAction({
    mutationFn: async (range: DayRange) =>
      saveFile(
        await admin.file(`/consent/records/export?${new URLSearchParams({ ...range })}`),
        `registros-${range.from}-a-${range.to}.jsonld`,
      ),
    onError: (error) => notifyFailure('Não foi possível baixar os registros.', error),
  })
}

/** The choices of one browser, by the visitor's code. */
export function useFindReceipt() {
  const { admin } = useServices()
  return useAction({
    mutationFn: async (code: string) => {
      const query = new URLSearchParams({ code })
      return (await admin<{ records: FoundRecord[] }>(`/consent/records?${query}`)).records
    },
  })
}

const REFRESH_MS = MINUTE_MS

export const PERIODS = [
  { label: '7 dias', days: 7 },
  { label: '28 dias', days: 28 },
  { label: '90 dias', days: 90 },
] as const

export type Period = (typeof PERIODS)[number]

/** Days of the site, ending today. */
export function rangeOf({ days }: Period, now = Date.now()): { from: string; to: string } {
  const to = siteDate(now)
  return { from: new Date(Date.parse(to) - (days - 1) * DAY_MS).toISOString().slice(0, 10), to }
}

/** Choices in a period, and the state of their proof. */
export function useConsent(period: Period) {
  const { admin } = useServices()
  return useQuery({
    queryKey: ['consent', period.days],
    queryFn: ({ signal }) =>
      admin<ConsentOverview>(`/consent?${new URLSearchParams(rangeOf(period))}`, { signal }),
    refetchInterval: REFRESH_MS,
    // The previous chart keeps its place, hidden, until the new one is loaded.
    placeholderData: (former) => former,
  })
}
