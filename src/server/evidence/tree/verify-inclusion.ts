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
  let at = position
  let last = size - 1
  let root = leaf
  for (const hash of hashes) {
    if (last === 0) return null
    if (at % 2 === 1 || at === last) {
      root = hashPair(hash, root)
      while (at % 2 === 0 && at !== 0) {
        at = Math.floor(at / 2)
        last = Math.floor(last / 2)
      }
    } else root = hashPair(root, hash)
    at = Math.floor(at / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 ? root : null
}
