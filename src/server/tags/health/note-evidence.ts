import { parsePublicHost } from '#contract/tag-host.ts'
import { TAG_REPORT_MAX_HOSTS, type TagResult } from '#contract/tag-report.ts'
import type { PreparedTag } from '../prepare-tag.ts'
import { matchesSource, SOURCE_KEYS } from '../source-keys.ts'
import type { EvidenceBuffer } from './evidence-buffer.ts'
import { HOST_SUBJECT } from './read-evidence.ts'

/** Adds what one visit showed of one tag. Only hosts of the tag's own policy count, each as the entry that admits it: no report can make more rows than the tag has entries. */
export function noteEvidence(
  evidence: EvidenceBuffer,
  { tag, sources, revision }: PreparedTag,
  result: TagResult,
  isHindered: boolean,
): void {
  evidence.add(tag.id, revision, 'visit', result.outcome)
  // That nothing left says nothing where our own policy may be the cause.
  const hit = isHindered && result.hit === 'none' ? undefined : result.hit
  if (hit !== undefined && tag.hit !== undefined) evidence.add(tag.id, revision, 'hit', hit)
  const entries = [...new Set(SOURCE_KEYS.flatMap((key) => sources[key]))]
  const seen = new Map<string, string>()
  for (const [name, verdict] of Object.entries(result.hosts ?? {}).slice(0, TAG_REPORT_MAX_HOSTS)) {
    const host = parsePublicHost(name)
    const entry = host === null ? undefined : entries.find((source) => matchesSource(host, source))
    if (entry !== undefined && !seen.has(entry)) seen.set(entry, verdict)
  }
  for (const [entry, verdict] of seen) evidence.add(tag.id, revision, HOST_SUBJECT + entry, verdict)
}
