import type { HitVerdict, TagOutcome, TagVerdict } from '#contract/tag-report.ts'
import type { Db } from '#server/db/database.ts'
import { COST_SUBJECTS } from '../cost/note-cost.ts'

type Counts<Name extends string> = Partial<Record<Name, number>>

/** What the visits of the last 24 hours showed of one tag as it is now. */
export interface TagEvidence {
  visits: Counts<TagOutcome>
  /** `unseen`: not in the timeline of a browser that may miss it. */
  hit: Counts<HitVerdict | 'unseen'>
  /** By source of the tag's policy. */
  hosts: ReadonlyMap<string, Counts<TagVerdict>>
}

export const NO_EVIDENCE: TagEvidence = { visits: {}, hit: {}, hosts: new Map() }

const DAY_MS = 86_400_000

interface Gathered {
  visits: Counts<string>
  hit: Counts<string>
  hosts: Map<string, Counts<string>>
}

/** By pixel; only of those whose revision is the one of now. */
export async function readEvidence(
  db: Db,
  revisions: ReadonlyMap<string, string>,
  now = Date.now(),
): Promise<ReadonlyMap<string, TagEvidence>> {
  const rows = await db
    .selectFrom('tag_evidence')
    .select((eb) => [
      'pixel_id',
      'revision',
      'subject',
      'verdict',
      eb.fn.sum<number | string>('count').as('count'),
    ])
    .where('hour', '>', new Date(now - DAY_MS).toISOString())
    .where('subject', 'not in', COST_SUBJECTS)
    .groupBy(['pixel_id', 'revision', 'subject', 'verdict'])
    .execute()
  const found = new Map<string, Gathered>()
  for (const { pixel_id, revision, subject, verdict, count } of rows) {
    if (revisions.get(pixel_id) !== revision) continue
    const evidence: Gathered = found.get(pixel_id) ?? { visits: {}, hit: {}, hosts: new Map() }
    found.set(pixel_id, evidence)
    if (subject === 'visit') evidence.visits[verdict] = Number(count)
    else if (subject === 'hit') evidence.hit[verdict] = Number(count)
    else if (subject.startsWith(HOST_SUBJECT)) {
      const host = subject.slice(HOST_SUBJECT.length)
      evidence.hosts.set(host, { ...evidence.hosts.get(host), [verdict]: Number(count) })
    }
  }
  return found as ReadonlyMap<string, TagEvidence>
}

export const HOST_SUBJECT = 'host:'
