import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { type Column, FramedTable } from './framed-table.tsx'
import { lazyPart } from './lazy-part.ts'

/** More rows than this are scrolled inside the card, and only those in sight are in the document. */
const VIRTUAL_FROM = 60
/** While the code that counts rows is on its way, as many as any screen shows. */
const FIRST_ROWS = 20

const ScrollingTable = lazyPart(async () => (await import('./scrolling-table.tsx')).ScrollingTable)

export interface Item {
  id: string | number
}

export interface ListTableProps<T extends Item> {
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
  const isPrinted = useIsPrinted()
  return (
    // Rows or cards by the room that there is, not by the device.
    <div className="@container">
      {props.items.length > VIRTUAL_FROM && !isPrinted ? (
        <Suspense fallback={<PlainTable {...props} items={props.items.slice(0, FIRST_ROWS)} />}>
          {/* A lazy component has no type parameter; rows come back to the functions that they came with. */}
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

const PRINT = matchMedia('print')

/** On paper nobody scrolls: every row is there. Before the page is laid out for it, hence at once. */
function useIsPrinted(): boolean {
  const [isPrinted, setPrinted] = useState(PRINT.matches)
  useEffect(() => {
    const set = (value: boolean) => () => flushSync(() => setPrinted(value))
    const [begin, end] = [set(true), set(false)]
    const change = () => flushSync(() => setPrinted(PRINT.matches))
    addEventListener('beforeprint', begin)
    addEventListener('afterprint', end)
    PRINT.addEventListener('change', change)
    return () => {
      removeEventListener('beforeprint', begin)
      removeEventListener('afterprint', end)
      PRINT.removeEventListener('change', change)
    }
  }, [])
  return isPrinted
}
