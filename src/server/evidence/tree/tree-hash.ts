import { createHash } from 'node:crypto'

// RFC 6962, 2.1: leaves and inner nodes are hashed behind different bytes, so that neither can be passed off as the other.
const LEAF = Buffer.of(0)
const NODE = Buffer.of(1)

/** Lower-case hexadecimal, as it is stored and shown. */
export type TreeHash = string

/** MTH of no leaves. */
export const EMPTY_ROOT: TreeHash = createHash('sha256').digest('hex')

export function hashLeaf(bytes: string | Uint8Array): TreeHash {
  return createHash('sha256').update(LEAF).update(bytes).digest('hex')
}

export function hashPair(left: TreeHash, right: TreeHash): TreeHash {
  return createHash('sha256').update(NODE).update(left, 'hex').update(right, 'hex').digest('hex')
}

/** Of a whole subtree: as many hashes as a power of two. */
export function foldPairs(hashes: readonly TreeHash[]): TreeHash {
  let row = hashes
  while (row.length > 1)
    row = Array.from({ length: row.length / 2 }, (_, at) =>
      hashPair(row[2 * at] as TreeHash, row[2 * at + 1] as TreeHash),
    )
  return row[0] ?? EMPTY_ROOT
}

/** Of subtrees that stand side by side, each smaller than the one to its left. */
export function foldRight(hashes: readonly TreeHash[]): TreeHash {
  return hashes.length === 0 ? EMPTY_ROOT : hashes.reduceRight((right, left) => hashPair(left, right))
}
