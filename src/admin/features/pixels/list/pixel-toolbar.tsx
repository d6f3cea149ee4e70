import { useMemo } from 'react'
import { SearchInput, Select } from '#admin/components/inputs.tsx'
import { ListToolbar, matchesSearch, useSearchOffer } from '#admin/components/table.tsx'
import { useFilter, useSearchText } from '#admin/lib/router.tsx'
import { formatCount } from '#contract/format-count.ts'
import { PIXEL_TYPE_LABELS, PIXEL_TYPES, type PixelType } from '#contract/pixel.ts'
import type { ListedPixel } from '../api.ts'
import { ProblemCount } from '../badges.tsx'
import { HEALTHS, type Health, healthOf, isProblem, labelOfHealth } from '../health.ts'
import type { PixelRuns } from '../tag-status.ts'

interface PixelToolbarProps {
  pixels: readonly ListedPixel[]
  runs: PixelRuns
  /** How many the filter lets through. */
  found: number
  filter: PixelFilter
  onFilter: (filter: PixelFilter) => void
}

const TYPES = [
  ['all', 'Tipo: todos'],
  ...PIXEL_TYPES.map((type) => [type, PIXEL_TYPE_LABELS[type]] as const),
] as const

const STATUSES = [
  ['all', 'Status: todos'],
  ['active', 'Ativos'],
  ['inactive', 'Inativos'],
] as const

const HEALTH_FILTERS = [
  ['all', 'Funcionamento: todos'],
  ['problems-first', 'Problemas primeiro'],
  ['problems', 'Só com problemas'],
  ...HEALTHS.map((health) => [health, labelOfHealth(health)] as const),
] as const

const FILTERS = [
  { field: 'health', label: 'Filtrar por funcionamento', options: HEALTH_FILTERS },
  { field: 'type', label: 'Filtrar por tipo', options: TYPES },
  { field: 'status', label: 'Filtrar por status', options: STATUSES },
] as const

export function PixelToolbar({ pixels, runs: known, found, filter, onFilter }: PixelToolbarProps) {
  const { isPaused, runOf } = known
  const offered = useSearchOffer(pixels.length)
  // Computed when the list changes, not with each refresh of health.
  const switchedOn = useMemo(() => pixels.filter((pixel) => pixel.is_active), [pixels])
  const active = switchedOn.length
  // An active pixel may have nothing to run.
  const runs = switchedOn.filter(({ id }) => runOf(id)?.status.runnable !== false).length
  const problems = switchedOn.filter((pixel) => isProblem(healthOf(pixel, runOf(pixel.id)?.status))).length
  const running = isPaused
    ? 'todas as tags pausadas'
    : runs === active
      ? `${formatCount(active, 'ativo', 'ativos')} no site`
      : `${formatCount(active, 'ativo', 'ativos')}, ${formatCount(runs, 'rodando', 'rodando')} no site`
  const summary = (
    <>
      <b className="font-semibold text-ink">{formatCount(pixels.length, 'pixel', 'pixels')}</b>,{' '}
      {found < pixels.length ? formatCount(found, 'encontrado', 'encontrados') : running}
    </>
  )
  const problemCount = <ProblemCount count={problems} filter={filter} onFilter={onFilter} />
  if (!offered) return <ListToolbar summary={summary} aside={problemCount} />
  return (
    <ListToolbar summary={summary} aside={problemCount}>
      {/* A row of their own: beside the summary, only some of them would fit. */}
      <div className="flex w-full flex-wrap gap-2.5">
        <div className="flex flex-wrap gap-2.5 max-sm:w-full max-sm:*:flex-auto">
          {FILTERS.map(({ field, label, options }) => (
            <Select
              key={field}
              small
              aria-label={label}
              options={options}
              value={filter[field]}
              // The options are the field's own values.
              onChange={({ target }) => onFilter({ ...filter, [field]: target.value })}
            />
          ))}
        </div>
        <SearchInput
          label="Buscar por nome ou ID"
          value={filter.search}
          onChange={(search) => onFilter({ ...filter, search })}
        />
      </div>
    </ListToolbar>
  )
}

export interface PixelFilter {
  search: string
  type: PixelType | 'all'
  status: 'all' | 'active' | 'inactive'
  /** `problems-first` shows all, in another order. */
  health: Health | 'all' | 'problems-first' | 'problems'
}

export const NO_FILTER: PixelFilter = { search: '', type: 'all', status: 'all', health: 'all' }

/** Words of the address for each option. */
const TYPE_WORDS = {
  all: 'todos',
  meta: 'meta',
  google_analytics: 'google-analytics',
  google_tag_manager: 'google-tag-manager',
  custom: 'personalizado',
} as const satisfies Record<PixelFilter['type'], string>

const STATUS_WORDS = {
  all: 'todos',
  active: 'ativos',
  inactive: 'inativos',
} as const satisfies Record<PixelFilter['status'], string>

const HEALTH_WORDS = {
  all: 'todas',
  'problems-first': 'problemas-primeiro',
  problems: 'problemas',
  broken: 'com-problema',
  tripped: 'disjuntor',
  partial: 'em-parte',
  waiting: 'esperando',
  paused: 'pausados',
  unconfirmed: 'sem-confirmacao',
  working: 'funcionando',
  off: 'desligados',
} as const satisfies Record<PixelFilter['health'], string>

/** The filter in the address. */
export function usePixelFilter(): [PixelFilter, (filter: PixelFilter) => void] {
  const [search, setSearch] = useSearchText('busca')
  const [type, setType] = useFilter('tipo', TYPE_WORDS, NO_FILTER.type)
  const [status, setStatus] = useFilter('status', STATUS_WORDS, NO_FILTER.status)
  const [health, setHealth] = useFilter('saude', HEALTH_WORDS, NO_FILTER.health)
  const filter = useMemo(() => ({ search, type, status, health }), [search, type, status, health])
  const setFilter = (next: PixelFilter) => {
    setSearch(next.search)
    setType(next.type)
    setStatus(next.status)
    setHealth(next.health)
  }
  return [filter, setFilter]
}

type HealthOf = (pixel: ListedPixel) => Health | undefined

interface Known {
  healthOf: HealthOf
  /** Those that have in their code what is searched for. */
  byCode: ReadonlySet<string>
}

export function filterPixels(
  pixels: readonly ListedPixel[],
  filter: PixelFilter,
  known: Known,
): readonly ListedPixel[] {
  const found = isOpen(filter) ? pixels : pixels.filter((pixel) => passes(pixel, filter, known))
  return filter.health === 'problems-first' || filter.health === 'problems'
    ? sortByHealth(found, known.healthOf)
    : found
}

function isOpen({ search, type, status, health }: PixelFilter): boolean {
  return (
    search.trim() === '' &&
    type === 'all' &&
    status === 'all' &&
    (health === 'all' || health === 'problems-first')
  )
}

function passes(pixel: ListedPixel, filter: PixelFilter, { healthOf, byCode }: Known): boolean {
  const { search, type, status, health } = filter
  return (
    (type === 'all' || pixel.type === type) &&
    (status === 'all' || pixel.is_active === (status === 'active')) &&
    passesHealth(pixel, health, healthOf) &&
    (matchesSearch(search, [pixel.name, pixel.pixel_id]) || byCode.has(pixel.id))
  )
}

function passesHealth(pixel: ListedPixel, wanted: PixelFilter['health'], healthOf: HealthOf): boolean {
  if (wanted === 'all' || wanted === 'problems-first') return true
  const health = healthOf(pixel)
  return wanted === 'problems' ? isProblem(health) : health === wanted
}

/** Within one health they stay as they were: the newest first. */
function sortByHealth(pixels: readonly ListedPixel[], healthOf: HealthOf): ListedPixel[] {
  const ranked = pixels.map((pixel) => {
    const health = healthOf(pixel)
    return { pixel, rank: health === undefined ? HEALTHS.length : HEALTHS.indexOf(health) }
  })
  return ranked.sort((one, other) => one.rank - other.rank).map(({ pixel }) => pixel)
}
