import type {
  Checkpoint,
  ConsentNotice,
  ConsentProofRecord,
  ConsentRecipients,
  FoundRecord,
} from '#contract/consent.ts'
import type { Db } from '#server/db/database.ts'
import { findCheckpoint, findCheckpointOf } from '../checkpoints.ts'
import { readNotices, readRecipients } from '../notice.ts'
import { consentCode, findRecordsByCode } from '../records.ts'
import { toCheckpoint, toRecord } from './canonical.ts'
import { FILE_FORMAT, type GraphNode, writeGraph } from './file-format.ts'
import { TreeReader } from './merkle-store.ts'

const LEAVES_PER_STATEMENT = 500

const CHECKPOINTS_PER_STATEMENT = 200

interface ExportOptions {
  site: string
  /** Times; null for everything on that side. */
  from: string | null
  to: string | null
}

/**
 * Exports the checkpoints of a period with all their records, for `verifyGraph`. It begins with the first checkpoint
 * made in the period and ends with the first one made after it, which contains the last records.
 */
export function exportConsentProof(db: Db, options: ExportOptions): AsyncIterable<string> {
  return writeGraph(nodesOfOfExportEvidence(db, options))
}

async function* nodesOfOfExportEvidence(
  db: Db,
  { site, from, to }: ExportOptions,
): AsyncGenerator<GraphNode> {
  const first = await findFirst(db, from)
  const before = first === undefined ? undefined : await findCheckpoint(db, first.sequence - 1)
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
  const notices = new NoticeNodes(db)
  let size = before?.tree_size ?? 0
  for await (const checkpoint of checkpointsFrom(db, first.sequence)) {
    for (; size < checkpoint.tree_size; size = Math.min(size + LEAVES_PER_STATEMENT, checkpoint.tree_size))
      yield* leavesOf(db, notices, size, Math.min(size + LEAVES_PER_STATEMENT, checkpoint.tree_size))
    yield checkpoint
    if (to !== null && checkpoint.sealed_at > to) return
  }
}

async function* leavesOf(db: Db, notices: NoticeNodes, from: number, to: number): AsyncGenerator<GraphNode> {
  // Read first: a record that is erased before the next statement then appears as erased.
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
  yield* await notices.newFor([...records.values()])
  yield { '@type': 'SealedLeaves', first: from, hashes: leaves.map(({ hash }) => hash) }
  for (const { position, erased_at } of leaves)
    yield records.get(position) ?? { '@type': 'ErasedRecord', position, erased_at }
}

async function findFirst(db: Db, from: string | null): Promise<Checkpoint | undefined> {
  const row = await db
    .selectFrom('consent_seals')
    .selectAll()
    .where('sealed_at', '>=', from ?? new Date(0).toISOString())
    .orderBy('sealed_at')
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst()
  return row && toCheckpoint(row)
}

async function* checkpointsFrom(db: Db, first: number): AsyncGenerator<Checkpoint> {
  for (let next = first; ; ) {
    const rows = await db
      .selectFrom('consent_seals')
      .selectAll()
      .where('sequence', '>=', next)
      .orderBy('sequence')
      .limit(CHECKPOINTS_PER_STATEMENT)
      .execute()
    yield* rows.map(toCheckpoint)
    if (rows.length < CHECKPOINTS_PER_STATEMENT) return
    next += CHECKPOINTS_PER_STATEMENT
  }
}

/** The choices of one browser with their proofs, for `verifyGraph`; null if there are none. */
export async function makeReceipt(db: Db, site: string, code: string): Promise<AsyncIterable<string> | null> {
  const found = await findRecordsByCode(db, code)
  const [newest] = found ?? []
  if (found === null || newest === undefined) return null
  return writeGraph(nodesOf(db, site, found, consentCode(newest.record.consent_id)))
}

async function* nodesOf(
  db: Db,
  site: string,
  found: readonly FoundRecord[],
  code: string,
): AsyncGenerator<GraphNode> {
  const made_at = new Date().toISOString()
  yield { '@type': 'EvidenceReceipt', format: FILE_FORMAT, site, made_at, code }
  yield* await new NoticeNodes(db).newFor(found.map(({ record }) => record))
  const checkpoints = new Map<number, Checkpoint>()
  for (const { leaf } of found) {
    const checkpoint =
      leaf === null || checkpoints.has(leaf.seal) ? undefined : await findCheckpointOf(db, leaf.position)
    if (checkpoint === undefined) continue
    checkpoints.set(checkpoint.sequence, checkpoint)
    yield checkpoint
  }
  for (const { record, leaf } of found) {
    const { record_id } = record
    yield record
    const checkpoint = leaf === null ? undefined : checkpoints.get(leaf.seal)
    if (leaf === null || checkpoint === undefined) {
      yield { '@type': 'NotSealedYet', record_id }
      continue
    }
    const { position } = leaf
    const hashes = await new TreeReader(db).proveInclusion(position, checkpoint.tree_size)
    yield { '@type': 'InclusionProof', record_id, position, seal: checkpoint.sequence, hashes }
  }
}

/** Writes each notice and each list of recipients before the first record that names it. */
class NoticeNodes {
  readonly #db: Db
  readonly #given = new Set<string>()
  #notices: Promise<ConsentNotice[]> | null = null

  constructor(db: Db) {
    this.#db = db
  }

  async newFor(records: readonly ConsentProofRecord[]): Promise<(ConsentNotice | ConsentRecipients)[]> {
    const notices = this.#take(records.map(({ notice }) => notice.hash))
    const recipients = this.#take(records.map(({ parties }) => parties.hash))
    this.#notices ??= readNotices(this.#db)
    return [
      ...(await this.#notices).filter(({ hash }) => notices.includes(hash)),
      ...(await readRecipients(this.#db, recipients)),
    ]
  }

  #take(hashes: readonly (string | null | undefined)[]): string[] {
    const news = [...new Set(hashes)].filter((hash): hash is string => !!hash && !this.#given.has(hash))
    for (const hash of news) this.#given.add(hash)
    return news
  }
}
