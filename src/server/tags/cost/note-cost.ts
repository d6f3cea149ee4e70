import { TAG_COST_MAX } from '#contract/tag-cost.ts'
import type { TagResult } from '#contract/tag-report.ts'
import type { EvidenceBuffer } from '../health/evidence-buffer.ts'
import type { PreparedTag } from '../prepare-tag.ts'
import { COST_REST_SUBJECT, COST_SUM_SUBJECT } from '../today/count-subject.ts'
import type { SiteCounts } from '../today/site-counts.ts'
import { costStep } from './cost-step.ts'

/** Of `tag_evidence`; the verdict is the step, or the number of requests. */
export const COST_MS = 'cost_ms'
export const COST_REQUESTS = 'cost_requests'
export const COST_SUBJECTS = [COST_MS, COST_REQUESTS]

/** More are counted as this many: a report adds to rows that there are, or to one of so many. */
const MAX_REQUESTS = 100

/** Adds what one visit spent on its tags, where it was measured. */
export function noteCost(
  { evidence, counts }: { evidence: EvidenceBuffer; counts: SiteCounts },
  results: readonly (readonly [PreparedTag, TagResult])[],
  unattributed: number | undefined,
): void {
  let sum: number | null = null
  for (const [{ tag, revision }, { ms, requests }] of results) {
    if (ms === undefined || requests === undefined) continue
    sum = (sum ?? 0) + ms
    evidence.add(tag.id, revision, COST_MS, String(costStep(ms)))
    evidence.add(tag.id, revision, COST_REQUESTS, String(Math.min(MAX_REQUESTS, requests)))
  }
  if (sum === null || unattributed === undefined) return
  counts.add(`${COST_SUM_SUBJECT}${costStep(Math.min(TAG_COST_MAX, sum))}`)
  counts.add(`${COST_REST_SUBJECT}${costStep(unattributed)}`)
}
