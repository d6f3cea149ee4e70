import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { cn } from '../lib/cn.ts'
import { lazyPart } from './error-boundary.tsx'

/** Longer lists scroll inside the card, with only visible rows in the document. */
const VIRTUAL_FROM = 60

/** Number of rows until the virtualizer is loaded. */
const FIRST_ROWS = 20

const ScrollingTable = lazyPart(async () => (await import('./scrolling-table.tsx')).ScrollingTable)

export interface Item {
  id: string | number
}

export interface ListTableProps<T extends Item> {
  label: string
  columns: readonly Column[]
  items: readonly T[]
  /** `td` elements; on narrow screens the row is a card, laid out by `rowClassName`. */
  renderCells: (item: T) => ReactNode
  rowClassName: (item: T) => string
  /** A `tr` below the row, or nothing. */
  renderBelow?: (item: T) => ReactNode
}

export function ListTable<T extends Item>(props: ListTableProps<T>) {
  const isPrinted = useIsPrinted()
  return (
    // Rows or cards depend on the available width, not on the device.
    <div className="@container">
      {props.items.length > VIRTUAL_FROM && !isPrinted ? (
        <Suspense fallback={<PlainTable {...props} items={props.items.slice(0, FIRST_ROWS)} />}>
          {/* A lazy component has no type parameter; rows are passed to functions of the same list. */}
          <ScrollingTable {...(props as unknown as ListTableProps<Item>)} />
        </Suspense>
      ) : (
        <PlainTable {...props} />
      )}
    </div>
  )
}

function PlainTable<T extends Item>(props: ListTableProps<T>) {
  const { label, columns, items, renderCells, rowClassName, renderBelow } = props
  return (
    <FramedTable label={label} columns={columns}>
      {items.map((item) => (
        <tbody key={item.id} className="table-item">
          <tr className={rowClassName(item)}>{renderCells(item)}</tr>
          {renderBelow?.(item)}
        </tbody>
      ))}
    </FramedTable>
  )
}

/** When printing, every row is rendered. Synchronous, before the page is laid out. */
function useIsPrinted(): boolean {
  const [isPrinted, setPrinted] = useState(() => matchMedia('print').matches)
  useEffect(() => {
    const print = matchMedia('print')
    const set = (value: boolean) => () => flushSync(() => setPrinted(value))
    const [begin, end] = [set(true), set(false)]
    const change = () => flushSync(() => setPrinted(print.matches))
    addEventListener('beforeprint', begin)
    addEventListener('afterprint', end)
    print.addEventListener('change', change)
    return () => {
      removeEventListener('beforeprint', begin)
      removeEventListener('afterprint', end)
      print.removeEventListener('change', change)
    }
  }, [])
  return isPrinted
}

export interface Column {
  label: string
  className?: string
}

interface FramedTableProps {
  label: string
  columns: readonly Column[]
  /** For assistive technology, when not every row is in the document. */
  rowCount?: number
  children: ReactNode
}

/** A table with its heading; a card has none. */
export function FramedTable({ label, columns, rowCount, children }: FramedTableProps) {
  return (
    <table
      aria-label={label}
      aria-rowcount={rowCount === undefined ? undefined : rowCount + 1}
      className="w-full table-fixed border-separate border-spacing-0 card:block"
    >
      <thead className="sticky top-0 z-1 bg-surface card:hidden">
        <tr aria-rowindex={rowCount === undefined ? undefined : 1}>
          {columns.map((column) => (
            <th key={column.label} scope="col" className={cn('table-heading', column.className)}>
              {column.label}
            </th>
          ))}
        </tr>
      </thead>
      {children}
    </table>
  )
}

interface ListToolbarProps {
  summary: ReactNode
  /** Beside the summary. Its space is reserved while it is null, so that nothing moves. */
  aside?: ReactNode
  children?: ReactNode
}

/** Above a table: totals and filters. */
export function ListToolbar({ summary, aside, children }: ListToolbarProps) {
  return (
    <div className="flex min-h-12 flex-col gap-2.5 border-b border-line px-4 py-3.5 text-[0.9375rem] text-text-2 sm:flex-row sm:flex-wrap sm:items-center sm:gap-3 sm:py-3 sm:pr-3 sm:pl-5">
      <div
        className={cn(
          'flex flex-wrap items-center gap-x-3 gap-y-2 sm:mr-auto',
          aside !== undefined && 'min-h-11 max-sm:-my-1.5',
        )}
      >
        <p className="min-w-0 max-sm:flex-[1_1_7rem]" aria-live="polite">
          {summary}
        </p>
        {aside}
      </div>
      {children}
    </div>
  )
}

const SCREENFUL = 10

/**
 * The search box appears once there are more rows than a screen shows, and then stays: a search must not outlive its
 * box.
 */
export function useSearchOffer(count: number): boolean {
  const [offered, setOffered] = useState(count > SCREENFUL)
  if (!offered && count > SCREENFUL) setOffered(true)
  return offered
}

/** A row of a table, or a card where there is no space (`card:`). */
export const ROW = 'table-row-or-card'

export const CELL = 'table-cell-or-line'

/** In a card a cell shows its column's name. */
export const LABELLED_CELL = 'table-cell-or-line labelled-cell'

/** Lower case without accents, so that "conteiner" finds "Contêiner". */
export function foldText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** True if every word of the search is in one of the texts. */
export function matchesSearch(search: string, texts: readonly (string | null)[]): boolean {
  const haystack = foldText(texts.join('\n'))
  return foldText(search)
    .split(/\s+/)
    .every((word) => haystack.includes(word))
}
