import type { TagResult } from '#contract/tag-report.ts'
import type { PreparedTag } from '../prepare-tag.ts'
import { matchesSource, SOURCE_KEYS } from '../source-keys.ts'
import type { EvidenceBuffer } from './evidence-buffer.ts'
import { HOST_SUBJECT } from './read-evidence.ts'
import type { Visit } from './read-visit.ts'

/** Adds what one visit showed of one tag. Only hosts of the tag's own policy count, each as the entry that admits it: no report can make more rows than the tag has entries. */
export function noteEvidence(
  evidence: EvidenceBuffer,
  member: PreparedTag,
  { outcome, hit }: TagResult,
  { hosts, absenceOf }: Visit,
): void {
  const { tag, sources, revision } = member
  evidence.add(tag.id, revision, 'visit', outcome)
  const seenHit = hit === 'none' ? absenceOf(member) : hit
  if (seenHit && tag.hit !== undefined) evidence.add(tag.id, revision, 'hit', seenHit)
  const entries = [...new Set(SOURCE_KEYS.flatMap((key) => sources[key]))]
  const seen = new Map<string, string>()
  for (const [host, verdict] of hosts) {
    const entry = entries.find((source) => matchesSource(host, source))
    if (entry !== undefined && !seen.has(entry)) seen.set(entry, verdict)
  }
  for (const [entry, verdict] of seen) evidence.add(tag.id, revision, HOST_SUBJECT + entry, verdict)
}
