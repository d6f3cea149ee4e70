import { hashPair, type TreeHash } from './tree-hash.ts'

interface TreeHead {
  size: number
  root: TreeHash
}

/** Whether the second tree begins with all of the first (RFC 9162, 2.1.4.2). */
export function isConsistent(first: TreeHead, second: TreeHead, proof: readonly TreeHash[]): boolean {
  if (first.size < 1 || first.size > second.size) return false
  if (first.size === second.size) return first.root === second.root && proof.length === 0
  // A whole tree is its own first subtree, and is not repeated in the proof.
  const hashes = Number.isInteger(Math.log2(first.size)) ? [first.root, ...proof] : [...proof]
  const start = hashes.shift()
  if (start === undefined) return false
  let at = first.size - 1
  let last = second.size - 1
  while (at % 2 === 1) {
    at = Math.floor(at / 2)
    last = Math.floor(last / 2)
  }
  let older = start
  let newer = start
  for (const hash of hashes) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      older = hashPair(hash, older)
      newer = hashPair(hash, newer)
      while (at % 2 === 0 && at !== 0) {
        at = Math.floor(at / 2)
        last = Math.floor(last / 2)
      }
    } else newer = hashPair(newer, hash)
    at = Math.floor(at / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && older === first.root && newer === second.root
}
