/** Leaves `from` up to, but not including, `to`. */
export interface LeafRange {
  from: number
  to: number
}

/** A whole subtree: leaves `index * 2 ** level` and the `2 ** level` that begin there. */
export interface Subtree {
  level: number
  index: number
}

/** Which parts of a tree lead from one leaf to its root, from the bottom up (RFC 6962, 2.1.1). */
export function inclusionRanges(position: number, size: number): LeafRange[] {
  const path = (from: number, to: number): LeafRange[] => {
    if (to - from === 1) return []
    const middle = from + splitOf(to - from)
    return position < middle
      ? [...path(from, middle), { from: middle, to }]
      : [...path(middle, to), { from, to: middle }]
  }
  return path(0, size)
}

/** Which parts show that a tree of `second` leaves begins with that of `first` (RFC 6962, 2.1.2). */
export function consistencyRanges(first: number, second: number): LeafRange[] {
  const path = (from: number, to: number, isWhole: boolean): LeafRange[] => {
    if (first === to) return isWhole ? [] : [{ from, to }]
    const middle = from + splitOf(to - from)
    return first <= middle
      ? [...path(from, middle, isWhole), { from: middle, to }]
      : [...path(middle, to, false), { from, to: middle }]
  }
  return path(0, second, true)
}

/** A range as whole subtrees, from the left; those of a range that begins a tree get smaller. */
export function subtreesOf({ from, to }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = []
  for (let at = from; at < to; ) {
    let level = 0
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= to) level++
    subtrees.push({ level, index: at / 2 ** level })
    at += 2 ** level
  }
  return subtrees
}

/** The largest power of two that is smaller. */
function splitOf(size: number): number {
  let half = 1
  while (half * 2 < size) half *= 2
  return half
}
