import type { EvidenceSeal, FoundRecord } from '#contract/consent.ts'
import { consentCode } from '#contract/consent-code.ts'
import type { Db } from '#server/db/database.ts'
import { findRecordsByCode } from '../find-records-by-code.ts'
import { findSealOf } from '../find-seal-of.ts'
import { TreeReader } from '../tree/tree-reader.ts'
import { FILE_FORMAT, type GraphNode } from './graph-node.ts'
import { PremisesNodes } from './premises-nodes.ts'
import { writeGraph } from './write-graph.ts'

/** The choices of one browser with their proofs, for `verifyGraph`; null when there is none. */
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
  yield* await new PremisesNodes(db).newFor(found.map(({ record }) => record))
  const seals = new Map<number, EvidenceSeal>()
  for (const { leaf } of found) {
    const seal = leaf === null || seals.has(leaf.seal) ? undefined : await findSealOf(db, leaf.position)
    if (seal === undefined) continue
    seals.set(seal.sequence, seal)
    yield seal
  }
  for (const { record, leaf } of found) {
    const { record_id } = record
    yield record
    const seal = leaf === null ? undefined : seals.get(leaf.seal)
    if (leaf === null || seal === undefined) {
      yield { '@type': 'NotSealedYet', record_id }
      continue
    }
    const { position } = leaf
    const hashes = await new TreeReader(db).proveInclusion(position, seal.tree_size)
    yield { '@type': 'InclusionProof', record_id, position, seal: seal.sequence, hashes }
  }
}
