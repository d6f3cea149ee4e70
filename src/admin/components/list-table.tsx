import { type ReactNode, useRef } from 'react'
import { cn } from '../lib/cn.ts'
import { useVirtualRows } from './use-virtual-rows.ts'

/** More rows than this are scrolled inside the card, and only those in sight are in the document. */
const VIRTUAL_FROM = 60

export interface Column {
  label: string
  className?: string
}

interface Item {
  id: string | number
}

interface ListTableProps<T extends Item> {
  label: string
  columns: readonly Column[]
  items: readonly T[]
  /** `td` elements; where it is narrow the row is a card, laid out by `rowClassName`. */
  renderCells: (item: T) => ReactNode
  rowClassName: (item: T) => string
  /** A `tr` under the row that belongs to it, or nothing. */
  renderBelow?: (item: T) => ReactNode
}

export function ListTable<T extends Item>(props: ListTableProps<T>) {
  return (
    // Rows or cards by the room that there is, not by the device.
    <div className="@container">
      {props.items.length > VIRTUAL_FROM ? <ScrollingTable {...props} /> : <PlainTable {...props} />}
    </div>
  )
}

function PlainTable<T extends Item>(props: ListTableProps<T>) {
  const { label, columns, items, renderCells, rowClassName, renderBelow } = props
  return (
    <Table label={label} columns={columns}>
      {items.map((item) => (
        <tbody key={item.id} className="table-item">
          <tr className={rowClassName(item)}>{renderCells(item)}</tr>
          {renderBelow?.(item)}
        </tbody>
      ))}
    </Table>
  )
}

function ScrollingTable<T extends Item>(props: ListTableProps<T>) {
  const { label, columns, items, renderCells, rowClassName, renderBelow } = props
  const scroller = useRef<HTMLDivElement>(null)
  const { rows, before, after, measure } = useVirtualRows(items, scroller)
  return (
    <div
      ref={scroller}
      className="h-[calc(100dvh-15rem)] min-h-80 overflow-y-auto [overflow-anchor:none] md:h-[calc(100dvh-19rem)]"
    >
      <div style={{ paddingTop: before, paddingBottom: after }}>
        <Table label={label} columns={columns} rowCount={items.length}>
          {rows.map(({ item, index }) => (
            <tbody key={item.id} ref={measure} data-index={index} className="table-item">
              <tr aria-rowindex={index + 2} className={rowClassName(item)}>
                {renderCells(item)}
              </tr>
              {renderBelow?.(item)}
            </tbody>
          ))}
        </Table>
      </div>
    </div>
  )
}

interface TableProps {
  label: string
  columns: readonly Column[]
  /** Said to assistive technology when not every row is in the document. */
  rowCount?: number
  children: ReactNode
}

function Table({ label, columns, rowCount, children }: TableProps) {
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
