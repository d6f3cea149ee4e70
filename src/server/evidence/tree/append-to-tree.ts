import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/locked.ts'
import type { TreeHash } from './tree-hash.ts'
import { LEVEL_STEP, TreeReader } from './tree-reader.ts'

export interface LockedTree {
  size: number
  /** Of the leaves that no seal covers yet. */
  first_record_at: string | null
  last_record_at: string | null
}

/** The tree as it is. Until the transaction ends nobody else appends or seals. */
export async function lockTree(trx: Db): Promise<LockedTree> {
  return await locked(
    trx,
    trx.selectFrom('consent_tree').select(['size', 'first_record_at', 'last_record_at']).where('id', '=', 1),
  ).executeTakeFirstOrThrow()
}

interface NewLeaf {
  hash: TreeHash
  recordedAt: string
}

/** For whoever holds the lock, with what it gave. */
export async function appendToTree(trx: Db, tree: LockedTree, added: readonly NewLeaf[]): Promise<void> {
  const { size } = tree
  const leaves = added.map(({ hash }, at) => ({ position: size + at, hash, erased_at: null }))
  await trx.insertInto('consent_leaves').values(leaves).execute()
  const grown = size + added.length
  const times = [tree.first_record_at, tree.last_record_at, ...added.map(({ recordedAt }) => recordedAt)]
    .filter((time) => time !== null)
    .sort()
  for (let level = LEVEL_STEP; 2 ** level <= grown; level += LEVEL_STEP)
    await closeSubtrees(trx, level, size, grown)
  await trx
    .updateTable('consent_tree')
    .set({ size: grown, first_record_at: times[0] ?? null, last_record_at: times.at(-1) ?? null })
    .where('id', '=', 1)
    .execute()
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
