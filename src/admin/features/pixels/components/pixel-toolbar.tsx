import { useMemo } from 'react'
import { ListToolbar, useSearchOffer } from '#admin/components/list-toolbar.tsx'
import { SearchInput } from '#admin/components/search-input.tsx'
import { Select } from '#admin/components/select.tsx'
import { formatCount } from '#contract/format-count.ts'
import { PIXEL_TYPE_LABELS, PIXEL_TYPES, type Pixel } from '#contract/pixel.ts'
import type { PixelRuns } from '../api/tag-overview.ts'
import type { PixelFilter } from '../filter-pixels.ts'
import { HEALTHS, healthOf, isProblem, labelOfHealth } from '../pixel-health.ts'
import { ProblemCount } from './problem-count.tsx'

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
