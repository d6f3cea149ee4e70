import { proofSides } from './proof-sides.ts'
import { hashPair, type TreeHash } from './tree-hash.ts'

interface Inclusion {
  leaf: TreeHash
  position: number
  size: number
  hashes: readonly TreeHash[]
}

/** The root to which a proof leads (RFC 9162, 2.1.3.2); null when it is no proof for that place. */
export function rootOfInclusion({ leaf, position, size, hashes }: Inclusion): TreeHash | null {
  if (!(position >= 0 && position < size)) return null
  const sides = proofSides({ at: position, last: size - 1 }, hashes.length)
  if (sides === null) return null
  return hashes.reduce(
    (root, hash, index) => (sides[index] === 'left' ? hashPair(hash, root) : hashPair(root, hash)),
    leaf,
  )
}
