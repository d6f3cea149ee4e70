import type { EvidenceSeal } from '#contract/consent.ts'
import type { Db } from '#server/db/database.ts'
import { findSeal } from '../find-seal.ts'
import { toSeal } from '../seal-hash.ts'
import { toRecord } from '../to-record.ts'
import { TreeReader } from '../tree/tree-reader.ts'
import { FILE_FORMAT, type GraphNode } from './graph-node.ts'
import { PremisesNodes } from './premises-nodes.ts'
import { writeGraph } from './write-graph.ts'

const LEAVES_PER_STATEMENT = 500
const SEALS_PER_STATEMENT = 200

interface ExportOptions {
  site: string
  /** Times; null for everything on that side. */
  from: string | null
  to: string | null
}

/**
 * The seals of a period with every record in them, for `verifyGraph`. A period begins with the first seal that was made
 * in it and ends with the first that was made after it, which holds its last records.
 */
export function exportEvidence(db: Db, options: ExportOptions): AsyncIterable<string> {
  return writeGraph(nodesOf(db, options))
}

async function* nodesOf(db: Db, { site, from, to }: ExportOptions): AsyncGenerator<GraphNode> {
  const first = await findFirst(db, from)
  const before = first === undefined ? undefined : await findSeal(db, first.sequence - 1)
  yield {
    '@type': 'EvidenceExport',
    format: FILE_FORMAT,
    site,
    made_at: new Date().toISOString(),
    from,
    to,
    before:
      before === undefined
        ? null
        : { seal: before, subtrees: await new TreeReader(db).frontier(before.tree_size) },
  }
  if (first === undefined) return
  const premises = new PremisesNodes(db)
  let size = before?.tree_size ?? 0
  for await (const seal of sealsFrom(db, first.sequence)) {
    for (; size < seal.tree_size; size = Math.min(size + LEAVES_PER_STATEMENT, seal.tree_size))
      yield* leavesOf(db, premises, size, Math.min(size + LEAVES_PER_STATEMENT, seal.tree_size))
    yield seal
    if (to !== null && seal.sealed_at > to) return
  }
}

async function* leavesOf(
  db: Db,
  premises: PremisesNodes,
  from: number,
  to: number,
): AsyncGenerator<GraphNode> {
  // First: what is erased before the other statement says so there.
  const stored = await db
    .selectFrom('consent_records')
    .selectAll()
    .where('leaf_position', '>=', from)
    .where('leaf_position', '<', to)
    .execute()
  const leaves = await db
    .selectFrom('consent_leaves')
    .select(['position', 'hash', 'erased_at'])
    .where('position', '>=', from)
    .where('position', '<', to)
    .orderBy('position')
    .execute()
  const records = new Map(stored.map((row) => [row.leaf_position, toRecord(row)]))
  yield* await premises.newFor([...records.values()])
  yield { '@type': 'SealedLeaves', first: from, hashes: leaves.map(({ hash }) => hash) }
  for (const { position, erased_at } of leaves)
    yield records.get(position) ?? { '@type': 'ErasedRecord', position, erased_at }
}

async function findFirst(db: Db, from: string | null): Promise<EvidenceSeal | undefined> {
  const row = await db
    .selectFrom('consent_seals')
    .selectAll()
    .where('sealed_at', '>=', from ?? new Date(0).toISOString())
    .orderBy('sealed_at')
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst()
  return row && toSeal(row)
}

async function* sealsFrom(db: Db, first: number): AsyncGenerator<EvidenceSeal> {
  for (let next = first; ; ) {
    const rows = await db
      .selectFrom('consent_seals')
      .selectAll()
      .where('sequence', '>=', next)
      .orderBy('sequence')
      .limit(SEALS_PER_STATEMENT)
      .execute()
    yield* rows.map(toSeal)
    if (rows.length < SEALS_PER_STATEMENT) return
    next += SEALS_PER_STATEMENT
  }
}
