import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useRef } from 'react'
import { useKeptPlace } from '../lib/router.tsx'
import { FramedTable, type Item, type ListTableProps } from './table.tsx'

/** A long list that scrolls inside its card: only visible rows are in the document. */
export function ScrollingTable(props: ListTableProps<Item>) {
  const { label, columns, items, renderCells, rowClassName, renderBelow } = props
  const scroller = useRef<HTMLDivElement>(null)
  const { rows, before, after, measure } = useVirtualRows(label, items, scroller)
  return (
    <div
      ref={scroller}
      className="h-[calc(100dvh-15rem)] min-h-80 overflow-y-auto [overflow-anchor:none] md:h-[calc(100dvh-19rem)]"
    >
      <div style={{ paddingTop: before, paddingBottom: after }}>
        <FramedTable label={label} columns={columns} rowCount={items.length}>
          {rows.map(({ item, index }) => (
            <tbody key={item.id} ref={measure} data-index={index} className="table-item">
              <tr aria-rowindex={index + 2} className={rowClassName(item)}>
                {renderCells(item)}
              </tr>
              {renderBelow?.(item)}
            </tbody>
          ))}
        </FramedTable>
      </div>
    </div>
  )
}

const OVERSCAN = 8

/** Used until a row was measured. */
const FIRST_GUESS = 67

/** The visible rows, and the heights of what is left out before and after them. */
function useVirtualRows<T extends { id: string | number }>(
  label: string,
  items: readonly T[],
  scroller: RefObject<HTMLElement | null>,
) {
  const estimate = useRef<number>(undefined)
  const kept = useKeptPlace(label, () => ({ top: scroller.current?.scrollTop, rowHeight: estimate.current }))
  const virtualizer = useVirtualizer<HTMLElement, HTMLTableSectionElement>({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimate.current ?? kept?.rowHeight ?? FIRST_GUESS,
    initialOffset: kept?.top ?? 0,
    // Stable while the items are: a new function makes the virtualizer measure every row again.
    getItemKey: useCallback((index: number) => items[index]?.id ?? index, [items]),
    overscan: OVERSCAN,
  })
  const measure = useCallback(
    (row: HTMLTableSectionElement | null) => {
      // A row of unexpected height moves all that follow: the last measured one is the estimate, in whole pixels. Few
      // rows have something below them, and those are not used.
      const isFirst = estimate.current === undefined
      if (row !== null && (isFirst || row.rows.length === 1)) {
        estimate.current = row.offsetHeight
        if (isFirst) virtualizer.measure()
      }
      virtualizer.measureElement(row)
    },
    [virtualizer],
  )
  const visible = virtualizer.getVirtualItems()
  const rows = visible.flatMap(({ index }) => {
    const item = items[index]
    return item === undefined ? [] : [{ item, index }]
  })
  return {
    rows,
    before: visible[0]?.start ?? 0,
    after: virtualizer.getTotalSize() - (visible.at(-1)?.end ?? 0),
    measure,
  }
}
