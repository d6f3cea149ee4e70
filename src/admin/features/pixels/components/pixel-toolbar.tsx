import { CONTROL } from '#admin/components/field.tsx'
import { ListToolbar, SCREENFUL } from '#admin/components/list-toolbar.tsx'
import { SearchInput } from '#admin/components/search-input.tsx'
import { formatCount } from '#admin/lib/format-count.ts'
import { PIXEL_TYPE_LABELS, PIXEL_TYPES, type Pixel, type PixelType } from '#contract/pixel.ts'
import type { PixelFilter } from '../filter-pixels.ts'

interface PixelToolbarProps {
  pixels: readonly Pixel[]
  /** How many the filter lets through. */
  found: number
  filter: PixelFilter
  onFilter: (filter: PixelFilter) => void
}

const SELECT = `${CONTROL} select-arrow min-h-11 pr-7 pl-2.5 bg-[position:right_10px_center] text-[0.9375rem] sm:w-auto`

export function PixelToolbar({ pixels, found, filter, onFilter }: PixelToolbarProps) {
  const active = pixels.filter((pixel) => pixel.is_active).length
  const summary = (
    <>
      <b className="font-semibold text-ink">{formatCount(pixels.length, 'pixel', 'pixels')}</b>,{' '}
      {found < pixels.length
        ? formatCount(found, 'encontrado', 'encontrados')
        : `${formatCount(active, 'ativo', 'ativos')} no site`}
    </>
  )
  if (pixels.length <= SCREENFUL) return <ListToolbar summary={summary} />
  return (
    <ListToolbar summary={summary}>
      <div className="flex gap-2.5">
        <select
          aria-label="Filtrar por tipo"
          value={filter.type}
          onChange={(event) => onFilter({ ...filter, type: event.target.value as PixelType | 'all' })}
          className={SELECT}
        >
          <option value="all">Todos os tipos</option>
          {PIXEL_TYPES.map((type) => (
            <option key={type} value={type}>
              {PIXEL_TYPE_LABELS[type]}
            </option>
          ))}
        </select>
        <select
          aria-label="Filtrar por status"
          value={filter.status}
          onChange={(event) => onFilter({ ...filter, status: event.target.value as PixelFilter['status'] })}
          className={SELECT}
        >
          <option value="all">Todos os status</option>
          <option value="active">Ativos</option>
          <option value="inactive">Inativos</option>
        </select>
      </div>
      <SearchInput
        label="Buscar por nome ou ID"
        value={filter.search}
        onChange={(search) => onFilter({ ...filter, search })}
      />
    </ListToolbar>
  )
}
