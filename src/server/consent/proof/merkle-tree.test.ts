import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  consistencyRanges,
  EMPTY_ROOT,
  foldPairs,
  foldRight,
  GrowingTree,
  hashLeaf,
  inclusionRanges,
  isConsistent,
  type LeafRange,
  rootOfInclusion,
  subtreesOf,
  type TreeHash,
} from './merkle-tree.ts'

/** Leaves, roots and proofs from the reference tests of Certificate Transparency (`merkletree`, later Trillian). */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => hashLeaf(Buffer.from(hex, 'hex')))
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
] as const
const D0_D1 = 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'
const D0_D3 = 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'
const D2_D3 = '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e'
const D4_D5 = '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a'
const D6_D7 = 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0'
const D4_D7 = '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4'
const D1 = '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7'
const D4 = 'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b'

const hashOf =
  (leaves: readonly TreeHash[]) =>
  (range: LeafRange): TreeHash =>
    foldRight(
      subtreesOf(range).map(({ level, index }) =>
        foldPairs(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
      ),
    )

test('computes the published roots of trees with zero to eight leaves', () => {
  const tree = new GrowingTree()
  const roots = [tree.root]
  for (const leaf of LEAVES) {
    tree.add(leaf)
    roots.push(tree.root)
  }
  expect(roots).toEqual(ROOTS)
  expect(LEAVES.map((_, at) => hashOf(LEAVES)({ from: 0, to: at + 1 }))).toEqual(ROOTS.slice(1))
  expect(EMPTY_ROOT).toBe(ROOTS[0])
})

test.each([
  [0, 1, []],
  [0, 8, [D1, D2_D3, D4_D7]],
  [5, 8, [D4, D6_D7, D0_D3]],
  [2, 3, [D0_D1]],
  [1, 5, [LEAVES[0], D2_D3, LEAVES[4]]],
])('computes the published proof of leaf %i in a tree of %i', (position, size, expected) => {
  const hashes = inclusionRanges(position, size).map(hashOf(LEAVES))
  expect(hashes).toEqual(expected)
  const leaf = LEAVES[position] as TreeHash
  expect(rootOfInclusion({ leaf, position, size, hashes })).toBe(ROOTS[size])
})

test.each([
  [1, 8, [D1, D2_D3, D4_D7]],
  [6, 8, [D4_D5, D6_D7, D0_D3]],
  [2, 5, [D2_D3, LEAVES[4]]],
  [6, 7, [D4_D5, LEAVES[6], D0_D3]],
])('computes the published consistency proof from %i to %i', (first, second, expected) => {
  const proof = consistencyRanges(first, second).map(hashOf(LEAVES))
  expect(proof).toEqual(expected)
  const head = (size: number) => ({ size, root: ROOTS[size] as TreeHash })
  expect(isConsistent(head(first), head(second), proof)).toBe(true)
})

const many = Array.from({ length: 300 }, (_, at) => hashLeaf(`leaf ${at}`))
const sizes = fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 }))

test('proves every leaf at its own position only', () => {
  fc.assert(
    fc.property(sizes, fc.nat(), ([a, b], salt) => {
      const size = Math.max(a, b)
      const position = Math.min(a, b) - 1
      const leaf = many[position] as TreeHash
      const hashes = inclusionRanges(position, size).map(hashOf(many))
      const root = hashOf(many)({ from: 0, to: size })
      expect(rootOfInclusion({ leaf, position, size, hashes })).toBe(root)
      const other = salt % size
      if (other !== position)
        expect(rootOfInclusion({ leaf: many[other] as TreeHash, position, size, hashes })).not.toBe(root)
      // The proof of a tree with one leaf is empty.
      if (hashes.length > 0) {
        const bent = hashes.with(salt % hashes.length, hashLeaf('bent'))
        expect(rootOfInclusion({ leaf, position, size, hashes: bent })).not.toBe(root)
      }
      expect(rootOfInclusion({ leaf, position, size, hashes: [...hashes, leaf] })).not.toBe(root)
    }),
  )
})

test('proves that every tree is a prefix of every larger one, and of no other', () => {
  fc.assert(
    fc.property(sizes, ([a, b]) => {
      const [first, second] = [Math.min(a, b), Math.max(a, b)]
      const head = (size: number) => ({ size, root: hashOf(many)({ from: 0, to: size }) })
      const proof = consistencyRanges(first, second).map(hashOf(many))
      expect(isConsistent(head(first), head(second), proof)).toBe(true)
      expect(isConsistent({ size: first, root: hashLeaf('other') }, head(second), proof)).toBe(false)
      expect(isConsistent(head(first), { size: second, root: hashLeaf('other') }, proof)).toBe(false)
    }),
  )
})

test('continues from its subtrees', () => {
  fc.assert(
    fc.property(sizes, ([a, b]) => {
      const [first, second] = [Math.min(a, b), Math.max(a, b)]
      const frontier = subtreesOf({ from: 0, to: first }).map(({ level, index }) =>
        hashOf(many)({ from: index * 2 ** level, to: (index + 1) * 2 ** level }),
      )
      const tree = new GrowingTree(first, frontier)
      for (const leaf of many.slice(first, second)) tree.add(leaf)
      expect(tree.size).toBe(second)
      expect(tree.root).toBe(hashOf(many)({ from: 0, to: second }))
    }),
  )
  expect(() => new GrowingTree(3, [])).toThrow(RangeError)
})
