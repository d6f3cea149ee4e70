import { climb, proofSides } from './proof-sides.ts'
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
