import { foldRight, hashPair, type TreeHash } from './tree-hash.ts'
import { subtreesOf } from './tree-ranges.ts'

/** A tree that keeps only the subtrees which its root is made of: some twenty hashes for millions of leaves. */
export class GrowingTree {
  #size: number
  readonly #subtrees: { level: number; hash: TreeHash }[]

  /** Goes on from what `frontier` gave at `size`; throws when the two do not fit. */
  constructor(size = 0, frontier: readonly TreeHash[] = []) {
    const levels = subtreesOf({ from: 0, to: size }).map(({ level }) => level)
    if (levels.length !== frontier.length) throw new RangeError('Not the subtrees of a tree of this size')
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
