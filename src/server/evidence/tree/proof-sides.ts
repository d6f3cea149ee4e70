/** The numbers of two nodes of one level: the one from which a proof climbs, and the last of the tree. */
export interface Climb {
  at: number
  last: number
}

export function climb({ at, last }: Climb): Climb {
  return { at: Math.floor(at / 2), last: Math.floor(last / 2) }
}

/**
 * On which side of the path each hash of a proof stands, from the leaf up: both kinds of proof climb by this rule
 * (RFC 9162, 2.1.3.2 step 4 and 2.1.4.2 step 6). Null when so many hashes do not lead to the root.
 */
export function proofSides(from: Climb, count: number): ('left' | 'right')[] | null {
  const sides: ('left' | 'right')[] = []
  let node = from
  while (sides.length < count) {
    if (node.last === 0) return null
    if (node.at % 2 === 1 || node.at === node.last) {
      sides.push('left')
      while (node.at % 2 === 0 && node.at !== 0) node = climb(node)
    } else sides.push('right')
    node = climb(node)
  }
  return node.last === 0 ? sides : null
}
