import type { EvidenceNotice } from '#contract/consent.ts'
import type { Db } from '../db/database.ts'

/** Every wording that was ever served, oldest first: as many as there were releases that changed it. */
export async function readNotices(db: Db): Promise<EvidenceNotice[]> {
  const rows = await db.selectFrom('consent_notices').selectAll().orderBy('first_served_at').execute()
  return rows.map((row) => ({ '@type': 'ConsentNotice', ...row }))
}
