import type { ReactNode } from 'react'
import { cn } from '../lib/cn.ts'

export interface Column {
  label: string
  className?: string
}

interface FramedTableProps {
  label: string
  columns: readonly Column[]
  /** Said to assistive technology when not every row is in the document. */
  rowCount?: number
  children: ReactNode
}

/** A table with its heading; in a card there is none. */
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
