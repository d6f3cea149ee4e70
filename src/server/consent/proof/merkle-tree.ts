import { createHash } from 'node:crypto'

/** A tree that keeps only the subtrees of its root: about twenty hashes for millions of leaves. */
export class GrowingTree {
  #size: number
  readonly #subtrees: { level: number; hash: TreeHash }[]

  /** Continues from what `frontier` returned at `size`; throws if the two do not match. */
  constructor(size = 0, frontier: readonly TreeHash[] = []) {
    const levels = subtreesOf({ from: 0, to: size }).map(({ level }) => level)
    if (levels.length !== frontier.length)
      throw new RangeError('these are not the subtrees of a tree of this size')
    this.#size = size
    this.#subtrees = levels.map((level, at) => ({ level, hash: frontier[at] as TreeHash }))
  }

  get size(): number {
    return this.#size
  }

  get root(): TreeHash {
    return foldRight(this.#subtrees.map(({ hash }) => hash))
  }

  add(leaf: TreeHash): void {
    let added = { level: 0, hash: leaf }
    for (let left = this.#subtrees.at(-1); left?.level === added.level; left = this.#subtrees.at(-1)) {
      added = { level: added.level + 1, hash: hashPair(left.hash, added.hash) }
      this.#subtrees.pop()
    }
    this.#subtrees.push(added)
    this.#size++
  }
}

/** Leaves `from` up to, but not including, `to`. */
export interface LeafRange {
  from: number
  to: number
}

/** A complete subtree: `2 ** level` leaves from `index * 2 ** level` on. */
export interface Subtree {
  level: number
  index: number
}

/** The parts of a tree that lead from one leaf to the root, bottom up (RFC 6962, 2.1.1). */
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

/** The parts that show that a tree of `second` leaves begins with the one of `first` (RFC 6962, 2.1.2). */
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

/** Splits a range into complete subtrees, from the left; from the start of a tree their sizes decrease. */
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

/** The largest power of two below `size`. */
function splitOf(size: number): number {
  let half = 1
  while (half * 2 < size) half *= 2
  return half
}

interface TreeHead {
  size: number
  root: TreeHash
}

/** True if the second tree begins with all leaves of the first (RFC 9162, 2.1.4.2). */
export function isConsistent(first: TreeHead, second: TreeHead, proof: readonly TreeHash[]): boolean {
  if (first.size < 1 || first.size > second.size) return false
  if (first.size === second.size) return first.root === second.root && proof.length === 0
  // A complete tree is its own first subtree and is not repeated in the proof.
  const [start, ...hashes] = Number.isInteger(Math.log2(first.size)) ? [first.root, ...proof] : proof
  if (start === undefined) return false
  let from = { at: first.size - 1, last: second.size - 1 }
  while (from.at % 2 === 1) from = climb(from)
  const sides = proofSides(from, hashes.length)
  if (sides === null) return false
  let older = start
  let newer = start
  for (const [index, hash] of hashes.entries())
    if (sides[index] === 'left') {
      older = hashPair(hash, older)
      newer = hashPair(hash, newer)
    } else newer = hashPair(newer, hash)
  return older === first.root && newer === second.root
}

interface Inclusion {
  leaf: TreeHash
  position: number
  size: number
  hashes: readonly TreeHash[]
}

/** The root that a proof leads to (RFC 9162, 2.1.3.2); null if the proof does not fit the position. */
export function rootOfInclusion({ leaf, position, size, hashes }: Inclusion): TreeHash | null {
  if (!(position >= 0 && position < size)) return null
  const sides = proofSides({ at: position, last: size - 1 }, hashes.length)
  if (sides === null) return null
  return hashes.reduce(
    (root, hash, index) => (sides[index] === 'left' ? hashPair(hash, root) : hashPair(root, hash)),
    leaf,
  )
}

// RFC 6962, 2.1: leaves and inner nodes are hashed with different prefixes, so that neither can pass for the other.
const LEAF = Buffer.of(0)

const NODE = Buffer.of(1)

/** Lower-case hexadecimal, as it is stored and shown. */
export type TreeHash = string

/** Root of the empty tree. */
export const EMPTY_ROOT: TreeHash = createHash('sha256').digest('hex')

export function hashLeaf(bytes: string | Uint8Array): TreeHash {
  return createHash('sha256').update(LEAF).update(bytes).digest('hex')
}

function hashPair(left: TreeHash, right: TreeHash): TreeHash {
  return createHash('sha256').update(NODE).update(left, 'hex').update(right, 'hex').digest('hex')
}

/** Root of a complete subtree; the number of hashes is a power of two. */
export function foldPairs(hashes: readonly TreeHash[]): TreeHash {
  let row = hashes
  while (row.length > 1)
    row = Array.from({ length: row.length / 2 }, (_, at) =>
      hashPair(row[2 * at] as TreeHash, row[2 * at + 1] as TreeHash),
    )
  return row[0] ?? EMPTY_ROOT
}

/** Root of adjacent subtrees, each smaller than the one to its left. */
export function foldRight(hashes: readonly TreeHash[]): TreeHash {
  return hashes.length === 0 ? EMPTY_ROOT : hashes.reduceRight((right, left) => hashPair(left, right))
}

/** Two nodes of one level: where a proof climbs, and the last node of the tree. */
interface Climb {
  at: number
  last: number
}

function climb({ at, last }: Climb): Climb {
  return { at: Math.floor(at / 2), last: Math.floor(last / 2) }
}

/**
 * The side of each hash of a proof, from the leaf up; both kinds of proof use this rule (RFC 9162, 2.1.3.2 step 4 and
 * 2.1.4.2 step 6). Null if this number of hashes does not lead to the root.
 */
function proofSides(from: Climb, count: number): ('left' | 'right')[] | null {
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
