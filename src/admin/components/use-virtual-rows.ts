import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useRef } from 'react'

const OVERSCAN = 8
/** Until a row has been seen. */
const FIRST_GUESS = 67

/** The rows in sight, and the heights of what is left out before and after them. */
export function useVirtualRows<T extends { id: string | number }>(
  items: readonly T[],
  scroller: RefObject<HTMLElement | null>,
) {
  const estimate = useRef<number>(undefined)
  const virtualizer = useVirtualizer<HTMLElement, HTMLTableSectionElement>({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimate.current ?? FIRST_GUESS,
    // Stable while the items are: a new function makes the virtualizer measure every row again.
    getItemKey: useCallback((index: number) => items[index]?.id ?? index, [items]),
    overscan: OVERSCAN,
  })
  const measure = useCallback(
    (row: HTMLTableSectionElement | null) => {
      // A row of another height than expected moves all that follow it: the last one seen says what to expect, in whole
      // pixels, as the virtualizer measures. Few have something under them, and those say nothing about the others.
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
