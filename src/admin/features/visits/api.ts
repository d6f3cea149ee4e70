import { useQuery } from '@tanstack/react-query'
import { notifyFailure } from '#admin/components/toast.tsx'
import { saveFile } from '#admin/lib/api.ts'
import { formatNumber } from '#admin/lib/format.ts'
import { useAction } from '#admin/lib/queries.ts'
import { pushParameters, useFilter, useParameter } from '#admin/lib/router.tsx'
import { useServices } from '#admin/lib/services.tsx'
import type { ActivityPage } from '#contract/activity.ts'
import { DAY_MS, MINUTE_MS } from '#contract/durations.ts'
import { siteDate } from '#contract/site.ts'
import {
  type Cell,
  FEW,
  type VisitDimension,
  type VisitPoint,
  type VisitReport,
  type VisitStep,
} from '#contract/visit-report.ts'

/** Of fewer visits or clicks no rate is computed. */
export const ENOUGH_FOR_RATE = 30

export function formatCell(cell: Cell): string {
  return cell === null ? FEW : formatNumber(cell)
}

const REFRESH_MS = MINUTE_MS

export interface Period {
  id: 'today' | 'week' | 'month' | 'quarter' | 'year'
  label: string
  step: VisitStep
  /** Days back to the period it is compared with, a multiple of seven; null if there is none. */
  shift: number | null
}

export const PERIODS: readonly Period[] = [
  { id: 'today', label: 'Hoje', step: 'hour', shift: 1 },
  { id: 'week', label: '7 dias', step: 'day', shift: 7 },
  { id: 'month', label: '30 dias', step: 'day', shift: 35 },
  { id: 'quarter', label: '90 dias', step: 'day', shift: 91 },
  { id: 'year', label: '12 meses', step: 'month', shift: null },
]

const MONTH = PERIODS[2] as Period

const PERIOD_WORDS: Record<Period['id'], string> = {
  today: 'hoje',
  week: '7d',
  month: '30d',
  quarter: '90d',
  year: '12m',
}

export function usePeriod(): [Period, (period: Period) => void] {
  const [id, setId] = useFilter('periodo', PERIOD_WORDS, 'month')
  return [PERIODS.find((each) => each.id === id) ?? MONTH, (period) => setId(period.id)]
}

/** Days of the site, both inclusive. */
export interface DayRange {
  from: string
  to: string
}

/** Ends today. Twelve months begin on the first day of a month. */
export function rangeOf({ id }: Period, now = Date.now()): DayRange {
  const to = siteDate(now)
  if (id === 'year') {
    const [year = 0, month = 1] = to.split('-').map(Number)
    return { from: new Date(Date.UTC(year, month - 12, 1)).toISOString().slice(0, 10), to }
  }
  const days = { today: 1, week: 7, month: 30, quarter: 90 }[id]
  return { from: addDays(to, 1 - days), to }
}

/** Moved to the same weekdays before. */
export function rangeBefore(range: DayRange, { shift }: Period): DayRange | null {
  return shift === null ? null : { from: addDays(range.from, -shift), to: addDays(range.to, -shift) }
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10)
}

/** Words of the address and of the screen for each breakdown. */
export const BREAKDOWNS = [
  { by: 'channel', word: 'canal', one: 'Canal', many: 'Canais' },
  { by: 'campaign', word: 'campanha', one: 'Campanha', many: 'Campanhas' },
  { by: 'source', word: 'origem', one: 'Origem', many: 'Origens' },
  { by: 'term', word: 'termo', one: 'Termo', many: 'Termos' },
  { by: 'device', word: 'dispositivo', one: 'Dispositivo', many: 'Dispositivos' },
] as const satisfies readonly { by: VisitDimension; word: string; one: string; many: string }[]

export type Breakdown = (typeof BREAKDOWNS)[number]

/** The value is empty for visits without one. */
export interface Filter {
  of: Breakdown
  value: string
}

/** Filters of the address. Each change is a step of the history, so that the back button undoes it. */
export function useFilters() {
  const words = {
    canal: useParameter('canal')[0],
    campanha: useParameter('campanha')[0],
    origem: useParameter('origem')[0],
    termo: useParameter('termo')[0],
    dispositivo: useParameter('dispositivo')[0],
  }
  const filters = BREAKDOWNS.flatMap((of): Filter[] => {
    const value = words[of.word]
    return value === null ? [] : [{ of, value }]
  })
  return { filters, add: addFilter, remove: removeFilters }
}

function addFilter({ of, value }: Filter): void {
  pushParameters({ [of.word]: value, por: null })
}

function removeFilters(removed: readonly Filter[]): void {
  pushParameters(Object.fromEntries(removed.map(({ of }) => [of.word, null])))
}

const BREAKDOWN_WORDS = Object.fromEntries(BREAKDOWNS.map(({ by, word }) => [by, word])) as Record<
  Breakdown['by'],
  string
>

/** The chosen breakdown; at first one that is not filtered, because a filter leaves it one row. */
export function useBreakdown(filters: readonly Filter[]): [Breakdown, (breakdown: Breakdown) => void] {
  const first = BREAKDOWNS.find((each) => filters.every(({ of }) => of !== each)) ?? BREAKDOWNS[0]
  const [by, setBy] = useFilter('por', BREAKDOWN_WORDS, first.by)
  return [BREAKDOWNS.find((each) => each.by === by) ?? first, (breakdown) => setBy(breakdown.by)]
}

interface Wanted {
  range: DayRange
  step: VisitStep
  filters: readonly Filter[]
  by: Breakdown
}

/** A report, and what was asked for: the one before stays on screen while another loads. */
export interface Visits extends VisitReport {
  asked: string
}

/** The same for reports whose figures are the same, whatever their breakdown. */
export function describeAsked({ range, step, filters }: Wanted): string {
  return JSON.stringify([range, step, filters.map(({ of, value }) => [of.by, value])])
}

/** Hours are counted without sources. */
export function stepOf({ step }: Period, filters: readonly Filter[]): VisitStep {
  return step === 'hour' && filters.length > 0 ? 'day' : step
}

function toQuery({ range, step, filters, by }: Wanted): string {
  return new URLSearchParams([
    ...Object.entries(range),
    ['step', step],
    ['by', by.by],
    ...filters.map(({ of, value }) => [of.by, value]),
  ]).toString()
}

export function useVisits(wanted: Wanted) {
  const { admin } = useServices()
  const query = toQuery(wanted)
  const asked = describeAsked(wanted)
  return useQuery({
    queryKey: ['visits', query],
    queryFn: async ({ signal }): Promise<Visits> => ({
      ...(await admin<VisitReport>(`/visits?${query}`, { signal })),
      asked,
    }),
    refetchInterval: REFRESH_MS,
    placeholderData: (former) => former,
  })
}

/** The period before. It is over, so it is loaded once. */
export function useVisitsBefore(wanted: Omit<Wanted, 'range'> & { range: DayRange | null }) {
  const { admin } = useServices()
  const { range } = wanted
  const query = range === null ? '' : toQuery({ ...wanted, range })
  return useQuery({
    queryKey: ['visits', 'before', query],
    queryFn: ({ signal }) => admin<VisitReport>(`/visits?${query}`, { signal }),
    enabled: range !== null,
    staleTime: 10 * REFRESH_MS,
  })
}

/** The newest changes of pixels. */
export function useTagChanges() {
  const { admin } = useServices()
  return useQuery({
    queryKey: ['activity', 'tag changes'],
    queryFn: ({ signal }) => admin<ActivityPage>('/activity?kind=pixels', { signal }),
    staleTime: REFRESH_MS,
  })
}

/** The breakdown on screen as CSV. */
export function useSaveVisits() {
  const { admin } = useServices()
  return useAction({
    mutationFn: async (wanted: Wanted) =>
      saveFile(
        await admin.file(`/visits/export?${toQuery(wanted)}`),
        `visitas-por-${wanted.by.word}-${wanted.range.from}-a-${wanted.range.to}.csv`,
      ),
    onError: (error) => notifyFailure('Não foi possível baixar as visitas.', error),
  })
}

/** The figures that the chart can show. */
export const METRICS = [
  {
    id: 'visits',
    word: 'visitas',
    label: 'Visitas',
    one: 'visita',
    many: 'visitas',
    none: 'nenhuma visita',
    of: (point: Numbers): Cell => point.visits,
  },
  {
    id: 'visitors',
    word: 'visitantes',
    label: 'Visitantes',
    one: 'visitante',
    many: 'visitantes',
    none: 'nenhum visitante',
    of: (point: Numbers): Cell => point.visitors,
  },
  {
    id: 'lead',
    word: 'abrir-conta',
    label: 'Abrir Conta (cliques)',
    one: 'clique em Abrir Conta',
    many: 'cliques em Abrir Conta',
    none: 'nenhum clique',
    of: (point: Numbers): Cell => point.clicks.lead,
  },
  {
    id: 'contact',
    word: 'especialista',
    label: 'Especialista (cliques)',
    one: 'clique em Especialista',
    many: 'cliques em Especialista',
    none: 'nenhum clique',
    of: (point: Numbers): Cell => point.clicks.contact,
  },
] as const

export type Metric = (typeof METRICS)[number]

type Numbers = Pick<VisitPoint, 'visits' | 'visitors' | 'clicks'>

const METRIC_WORDS = Object.fromEntries(METRICS.map(({ id, word }) => [id, word])) as Record<
  Metric['id'],
  string
>

export function useMetric(): [Metric, (metric: Metric) => void] {
  const [id, setId] = useFilter('metrica', METRIC_WORDS, 'visits')
  return [METRICS.find((each) => each.id === id) ?? METRICS[0], (metric) => setId(metric.id)]
}
