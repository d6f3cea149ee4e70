import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useState } from 'react'

const ROW_HEIGHT = 65
const CARD_HEIGHT = 165
const OVERSCAN = 8

/** The rows in sight, and the heights of what is left out before and after them. */
export function useVirtualRows<T extends { id: string | number }>(
  items: readonly T[],
  scroller: RefObject<HTMLElement | null>,
) {
  const [height] = useState(() => (matchMedia('(min-width: 53.75rem)').matches ? ROW_HEIGHT : CARD_HEIGHT))
  const virtualizer = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    // Stable while the items are: a new function makes the virtualizer measure every row again.
    getItemKey: useCallback((index: number) => items[index]?.id ?? index, [items]),
    overscan: OVERSCAN,
  })
  const visible = virtualizer.getVirtualItems()
  const rows = visible.flatMap(({ index }) => {
    const item = items[index]
    return item === undefined ? [] : [{ item, index }]
  })
  return {
    rows,
    before: visible[0]?.start ?? 0,
    after: virtualizer.getTotalSize() - (visible.at(-1)?.end ?? 0),
    measure: virtualizer.measureElement,
  }
}
