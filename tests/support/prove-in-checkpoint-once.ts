import { summarizeConsent } from '#server/consent/choice-counts.ts'
import { exportConsentProof } from '#server/consent/proof/export.ts'
import { verifyGraph } from '#server/consent/proof/verify.ts'
import type { Db } from '#server/db/database.ts'

/**
 * Throws unless one chain of checkpoints covers each of these records exactly once, and so do the counts. Returns how
 * many it covers.
 */
export async function proveInCheckpointOnce(db: Db, acknowledged: ReadonlySet<string>): Promise<number> {
  const seen: string[] = []
  async function* file(): AsyncGenerator<Uint8Array> {
    for await (const text of exportConsentProof(db, { site: 'http://localhost', from: null, to: null })) {
      const id = /"record_id":"([0-9a-f-]{36})"/.exec(text)?.[1]
      if (id !== undefined) seen.push(id)
      yield Buffer.from(text)
    }
  }
  const { records } = await verifyGraph(file())
  const found = new Set(seen)
  if (seen.length !== records || found.size !== records) throw new Error('a record is covered twice')
  const missing = [...acknowledged].filter((id) => !found.has(id))
  if (missing.length > 0)
    throw new Error(`${missing.length} of ${acknowledged.size} records have no checkpoint`)
  const counts = await summarizeConsent(db, { from: '2000-01-01', to: '2100-01-01' })
  const counted = counts.reduce((sum, { count }) => sum + count, 0)
  if (counted !== records) throw new Error(`${counted} choices were counted of ${records}`)
  return records
}
