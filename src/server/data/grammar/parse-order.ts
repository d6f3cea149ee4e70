import { Cursor } from './cursor.ts'
import { splitPath } from './json-path.ts'
import type { OrderItem } from './query.ts'

/** `column.desc.nullslast`, joined by commas. */
export function parseOrder(text: string): OrderItem[] {
  const cursor = new Cursor(text, 'order')
  const items: OrderItem[] = []
  do items.push(parseItem(cursor))
  while (cursor.take(','))
  cursor.expectEnd()
  return items
}

function parseItem(cursor: Cursor): OrderItem {
  const item: OrderItem = { ...splitPath(cursor.takeName('.,()"')), descending: false, nulls: null }
  let hasDirection = false
  while (cursor.take('.')) {
    const word = cursor.takeUntil('.,')
    if (!hasDirection && item.nulls === null && (word === 'asc' || word === 'desc')) {
      item.descending = word === 'desc'
      hasDirection = true
    } else if (item.nulls === null && (word === 'nullsfirst' || word === 'nullslast')) {
      item.nulls = word === 'nullsfirst' ? 'first' : 'last'
    } else throw cursor.fault('"asc", "desc", "nullsfirst" or "nullslast"')
  }
  return item
}
