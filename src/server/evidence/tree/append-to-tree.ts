import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/locked.ts'
import type { TreeHash } from './tree-hash.ts'
import { LEVEL_STEP, TreeReader } from './tree-reader.ts'

/** The size of the tree. Until the transaction ends nobody else appends or seals. */
export async function lockTree(trx: Db): Promise<number> {
  const { size } = await locked(
    trx,
    trx.selectFrom('consent_tree').select('size').where('id', '=', 1),
  ).executeTakeFirstOrThrow()
  return size
}

/** For whoever holds the lock, with the size that it gave. */
export async function appendToTree(trx: Db, size: number, hashes: readonly TreeHash[]): Promise<void> {
  const leaves = hashes.map((hash, at) => ({ position: size + at, hash, erased_at: null }))
  await trx.insertInto('consent_leaves').values(leaves).execute()
  const grown = size + hashes.length
  for (let level = LEVEL_STEP; 2 ** level <= grown; level += LEVEL_STEP)
    await closeSubtrees(trx, level, size, grown)
  await trx.updateTable('consent_tree').set({ size: grown }).where('id', '=', 1).execute()
}

/** Stores the hash of each subtree of this level that has become whole. */
async function closeSubtrees(trx: Db, level: number, from: number, to: number): Promise<void> {
  const tree = new TreeReader(trx)
  const width = 2 ** level
  for (let position = Math.floor(from / width); (position + 1) * width <= to; position++) {
    const hash = await tree.hashOfTile(level - LEVEL_STEP, position)
    await trx.insertInto('consent_tree_nodes').values({ level, position, hash }).execute()
  }
}
