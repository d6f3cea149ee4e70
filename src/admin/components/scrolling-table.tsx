import { useRef } from 'react'
import { FramedTable } from './framed-table.tsx'
import type { Item, ListTableProps } from './list-table.tsx'
import { useVirtualRows } from './use-virtual-rows.ts'

/** A long list, scrolled inside its card: only the rows in sight are in the document. */
export function ScrollingTable(props: ListTableProps<Item>) {
  const { label, columns, items, renderCells, rowClassName, renderBelow } = props
  const scroller = useRef<HTMLDivElement>(null)
  const { rows, before, after, measure } = useVirtualRows(items, scroller)
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
