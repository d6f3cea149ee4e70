import type { Db } from '#server/db/database.ts'
import { engineOf, locked } from '#server/db/dialect.ts'
import {
  consistencyRanges,
  foldPairs,
  foldRight,
  inclusionRanges,
  type LeafRange,
  type Subtree,
  subtreesOf,
  type TreeHash,
} from './merkle-tree.ts'

interface LockedTree {
  size: number
  /** Of the leaves that no checkpoint covers yet. */
  first_record_at: string | null
  last_record_at: string | null
}

/**
 * Reads and locks the tree. Until the transaction ends, no other process can append or make a checkpoint. Undefined if
 * another one holds it and this one does not wait.
 */
export async function lockTree(trx: Db, waits = true): Promise<LockedTree | undefined> {
  const query = locked(
    trx,
    trx.selectFrom('consent_tree').select(['size', 'first_record_at', 'last_record_at']).where('id', '=', 1),
  )
  if (waits || engineOf(trx) === 'sqlite') return query.executeTakeFirstOrThrow()
  return query.skipLocked().executeTakeFirst()
}

interface NewLeaf {
  hash: TreeHash
  recordedAt: string
}

/** Call it with the locked tree. */
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

/** Stores the hashes of subtrees of this level that are now complete. */
async function closeSubtrees(trx: Db, level: number, from: number, to: number): Promise<void> {
  const tree = new TreeReader(trx)
  const width = 2 ** level
  for (let position = Math.floor(from / width); (position + 1) * width <= to; position++) {
    const hash = await tree.hashOfTile(level - LEVEL_STEP, position)
    await trx.insertInto('consent_tree_nodes').values({ level, position, hash }).execute()
  }
}

/** Hashes are stored for leaves and for every eighth level: 256 of one level make one of the next. */
const LEVEL_STEP = 8

const TILE = 2 ** LEVEL_STEP

/**
 * Reads hashes of any part of the stored tree: about six statements of at most 256 rows per proof. Results are cached,
 * so create one per transaction or proof.
 */
export class TreeReader {
  readonly #db: Db
  readonly #tiles = new Map<string, Promise<TreeHash[]>>()

  constructor(db: Db) {
    this.#db = db
  }

  async hashOf(range: LeafRange): Promise<TreeHash> {
    return foldRight(await this.#hashesOf(subtreesOf(range)))
  }

  root(size: number): Promise<TreeHash> {
    return this.hashOf({ from: 0, to: size })
  }

  /** The complete subtrees of a tree of this size, from which a `GrowingTree` continues. */
  frontier(size: number): Promise<TreeHash[]> {
    return this.#hashesOf(subtreesOf({ from: 0, to: size }))
  }

  proveInclusion(position: number, size: number): Promise<TreeHash[]> {
    return this.#rangesOf(inclusionRanges(position, size))
  }

  proveConsistency(first: number, second: number): Promise<TreeHash[]> {
    return this.#rangesOf(consistencyRanges(first, second))
  }

  /** Combines 256 hashes of one stored level into one of the next. */
  async hashOfTile(level: number, tile: number): Promise<TreeHash> {
    const hashes = await this.#tile(level, tile)
    if (hashes.length !== TILE) throw new RangeError(`no complete tile at ${level}/${tile}`)
    return foldPairs(hashes)
  }

  async #rangesOf(ranges: readonly LeafRange[]): Promise<TreeHash[]> {
    const hashes: TreeHash[] = []
    for (const range of ranges) hashes.push(await this.hashOf(range))
    return hashes
  }

  async #hashesOf(subtrees: readonly Subtree[]): Promise<TreeHash[]> {
    const hashes: TreeHash[] = []
    for (const subtree of subtrees) hashes.push(await this.#subtree(subtree))
    return hashes
  }

  async #subtree({ level, index }: Subtree): Promise<TreeHash> {
    const above = level % LEVEL_STEP
    const from = index * 2 ** above
    const tile = await this.#tile(level - above, Math.floor(from / TILE))
    const hashes = tile.slice(from % TILE, (from % TILE) + 2 ** above)
    if (hashes.length !== 2 ** above) throw new RangeError(`no hashes at ${level}/${index}`)
    return foldPairs(hashes)
  }

  #tile(level: number, tile: number): Promise<TreeHash[]> {
    const key = `${level}/${tile}`
    const found = this.#tiles.get(key) ?? readTile(this.#db, level, tile)
    this.#tiles.set(key, found)
    return found
  }
}

async function readTile(db: Db, level: number, tile: number): Promise<TreeHash[]> {
  const [first, end] = [tile * TILE, (tile + 1) * TILE]
  const rows =
    level === 0
      ? await db
          .selectFrom('consent_leaves')
          .select(['position', 'hash'])
          .where('position', '>=', first)
          .where('position', '<', end)
          .orderBy('position')
          .execute()
      : await db
          .selectFrom('consent_tree_nodes')
          .select(['position', 'hash'])
          .where('level', '=', level)
          .where('position', '>=', first)
          .where('position', '<', end)
          .orderBy('position')
          .execute()
  // A gap would shift everything after it.
  return rows.every(({ position }, at) => position === first + at) ? rows.map(({ hash }) => hash) : []
}
