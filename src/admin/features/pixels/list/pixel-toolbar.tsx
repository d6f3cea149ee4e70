import { useMemo } from 'react'
import { SearchInput, Select } from '#admin/components/inputs.tsx'
import { ListToolbar, matchesSearch, useSearchOffer } from '#admin/components/table.tsx'
import { useFilter, useSearchText } from '#admin/lib/router.tsx'
import { formatCount } from '#contract/format-count.ts'
import { PIXEL_TYPE_LABELS, PIXEL_TYPES, type Pixel, type PixelType } from '#contract/pixel.ts'
import { ProblemCount } from '../badges.tsx'
import { HEALTHS, type Health, healthOf, isProblem, labelOfHealth } from '../health.ts'
import type { PixelRuns } from '../tag-status.ts'

interface PixelToolbarProps {
  pixels: readonly Pixel[]
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
  ['all', 'Saúde: todas'],
  ['problems-first', 'Problemas primeiro'],
  ['problems', 'Só com problema'],
  ...HEALTHS.map((health) => [health, labelOfHealth(health)] as const),
] as const

const FILTERS = [
  { field: 'health', label: 'Filtrar por saúde', options: HEALTH_FILTERS },
  { field: 'type', label: 'Filtrar por tipo', options: TYPES },
  { field: 'status', label: 'Filtrar por status', options: STATUSES },
] as const

export function PixelToolbar({ pixels, runs: known, found, filter, onFilter }: PixelToolbarProps) {
  const { isPaused, runOf } = known
  const offered = useSearchOffer(pixels.length)
  // Ten thousand are gone through when they change, not whenever there is news of the few that run.
  const switchedOn = useMemo(() => pixels.filter((pixel) => pixel.is_active), [pixels])
  const active = switchedOn.length
  // One that is switched on may have nothing to run.
  const runs = switchedOn.filter(({ id }) => runOf(id)?.status.runnable !== false).length
  const problems = switchedOn.filter((pixel) => isProblem(healthOf(pixel, runOf(pixel.id)?.status))).length
  const running = isPaused
    ? 'tudo pausado'
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
      <div className="flex flex-wrap gap-2.5 max-sm:*:flex-[1_1_9rem]">
        {FILTERS.map(({ field, label, options }) => (
          <Select
            key={field}
            small
            aria-label={label}
            options={options}
            value={filter[field]}
            // The options are the field's own values.
            onChange={({ target }) => onFilter({ ...filter, [field]: target.value })}
            className="max-sm:w-full"
          />
        ))}
      </div>
      <SearchInput
        label="Buscar por nome ou ID"
        value={filter.search}
        onChange={(search) => onFilter({ ...filter, search })}
      />
    </ListToolbar>
  )
}

export interface PixelFilter {
  search: string
  type: PixelType | 'all'
  status: 'all' | 'active' | 'inactive'
  /** `problems-first` shows all of them, in another order. */
  health: Health | 'all' | 'problems-first' | 'problems'
}

export const NO_FILTER: PixelFilter = { search: '', type: 'all', status: 'all', health: 'all' }

/** What the address says of each choice. */
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

/** The filter that the address holds. */
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

type HealthOf = (pixel: Pixel) => Health | undefined

export function filterPixels(
  pixels: readonly Pixel[],
  filter: PixelFilter,
  healthOf: HealthOf,
): readonly Pixel[] {
  const found = isOpen(filter) ? pixels : pixels.filter((pixel) => passes(pixel, filter, healthOf))
  return filter.health === 'problems-first' || filter.health === 'problems'
    ? sortByHealth(found, healthOf)
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

function passes(pixel: Pixel, { search, type, status, health }: PixelFilter, healthOf: HealthOf): boolean {
  return (
    (type === 'all' || pixel.type === type) &&
    (status === 'all' || pixel.is_active === (status === 'active')) &&
    passesHealth(pixel, health, healthOf) &&
    (matchesSearch(search, [pixel.name, pixel.pixel_id]) || isIdInCode(search, pixel))
  )
}

/** A pixel without an ID of its own has it in its code. Only what may be an ID is looked for there. */
function isIdInCode(search: string, { pixel_id, code }: Pixel): boolean {
  const id = search.trim()
  if (pixel_id || !code || !/^[\w./-]{5,}$/.test(id) || !/\d/.test(id)) return false
  return new RegExp(id.replaceAll(/[.]/g, '\\.'), 'i').test(code)
}

function passesHealth(pixel: Pixel, wanted: PixelFilter['health'], healthOf: HealthOf): boolean {
  if (wanted === 'all' || wanted === 'problems-first') return true
  const health = healthOf(pixel)
  return wanted === 'problems' ? isProblem(health) : health === wanted
}

/** Within one health they stay as they were: the newest first. */
function sortByHealth(pixels: readonly Pixel[], healthOf: HealthOf): Pixel[] {
  const ranked = pixels.map((pixel) => {
    const health = healthOf(pixel)
    return { pixel, rank: health === undefined ? HEALTHS.length : HEALTHS.indexOf(health) }
  })
  return ranked.sort((one, other) => one.rank - other.rank).map(({ pixel }) => pixel)
}
