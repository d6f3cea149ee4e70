import { summarizeConsent } from '#server/consent/choice-counts.ts'
import { exportEvidence } from '#server/consent/proof/export.ts'
import { verifyGraph } from '#server/consent/proof/verify.ts'
import type { Db } from '#server/db/database.ts'

/** Throws unless one chain of seals covers each of these records exactly once, and so do the counts. Gives how many it covers. */
export async function proveSealedOnce(db: Db, acknowledged: ReadonlySet<string>): Promise<number> {
  const seen: string[] = []
  async function* file(): AsyncGenerator<Uint8Array> {
    for await (const text of exportEvidence(db, { site: 'http://localhost', from: null, to: null })) {
      const id = /"record_id":"([0-9a-f-]{36})"/.exec(text)?.[1]
      if (id !== undefined) seen.push(id)
      yield Buffer.from(text)
    }
  }
  const { records } = await verifyGraph(file())
  const sealed = new Set(seen)
  if (seen.length !== records || sealed.size !== records) throw new Error('a record was sealed twice')
  const missing = [...acknowledged].filter((id) => !sealed.has(id))
  if (missing.length > 0) throw new Error(`${missing.length} of ${acknowledged.size} records were not sealed`)
  const counts = await summarizeConsent(db, { from: '2000-01-01', to: '2100-01-01' })
  const counted = counts.reduce((sum, { count }) => sum + count, 0)
  if (counted !== records) throw new Error(`${counted} choices were counted of ${records}`)
  return records
}
