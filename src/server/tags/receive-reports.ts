import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { CONVERSIONS } from '#contract/conversions.ts'
import { TAG_COST_MAX } from '#contract/tag-cost.ts'
import {
  HIT_VERDICTS,
  TAG_ERROR_MAX_LENGTH,
  TAG_OUTCOMES,
  TAG_REPORT_MAX_RESULTS,
  TAG_REPORT_MAX_STOPPED,
  TAG_REPORT_PATH,
  TAG_VERDICTS,
  type TagResult,
} from '#contract/tag-report.ts'
import { neighbourhoodBlock } from '../http/address-block.ts'
import { AppError } from '../http/app-error.ts'
import { clientAddress } from '../http/client-address.ts'
import { guardPublicPost, type PublicGuard, storeWithin } from '../http/guard-public-post.ts'
import { isContainer } from './attribute-violation.ts'
import type { BreakerBuffer } from './breaker/breaker-buffer.ts'
import { noteCost } from './cost/note-cost.ts'
import type { EvidenceBuffer } from './health/evidence-buffer.ts'
import { noteEvidence } from './health/note-evidence.ts'
import { readVisit } from './health/read-visit.ts'
import { chooseColumn } from './ledger/choose-column.ts'
import { noteStopped, type StoppedDeps } from './note-stopped.ts'
import type { PreparedTag } from './prepare-tag.ts'
import type { ReportBuffer } from './report-buffer.ts'
import type { SiteCounts } from './today/site-counts.ts'

const BODY_LIMIT_BYTES = 64_000

const cost = z.int().check(z.minimum(0), z.maximum(TAG_COST_MAX))

const reportSchema = z.object({
  set: z.optional(z.string().check(z.maxLength(64))),
  results: z
    .array(
      z.object({
        id: z.string(),
        outcome: z.enum(TAG_OUTCOMES),
        error: z.optional(z.string()),
        hit: z.optional(z.enum(HIT_VERDICTS)),
        ms: z.optional(cost),
        requests: z.optional(cost),
      }),
    )
    .check(z.maxLength(TAG_REPORT_MAX_RESULTS)),
  hosts: z.optional(z.record(z.string().check(z.maxLength(253)), z.enum(TAG_VERDICTS))),
  sees_all: z.optional(z.boolean()),
  stopped: z.optional(
    z
      .array(
        z.object({
          host: z.string().check(z.maxLength(253 + 'https://'.length)),
          directive: z.string().check(z.maxLength(32)),
          source: z.optional(z.string().check(z.maxLength(253))),
          tag: z.optional(z.string().check(z.maxLength(64))),
        }),
      )
      .check(z.maxLength(TAG_REPORT_MAX_STOPPED)),
  ),
  unattributed_ms: z.optional(cost),
  conversion: z.optional(
    z.object({
      name: z.enum(CONVERSIONS),
      ids: z.array(z.string()).check(z.maxLength(TAG_REPORT_MAX_RESULTS)),
      is_more: z.optional(z.boolean()),
    }),
  ),
})

export interface ReportDeps extends StoppedDeps {
  guard: PublicGuard
  buffer: ReportBuffer
  evidence: EvidenceBuffer
  counts: SiteCounts
  breaker: BreakerBuffer
  /** The page tells the server of this visitor's conversions itself: they are counted there, whatever a tag did. */
  isToldByEvent: (cookieHeader: string | undefined) => Promise<boolean>
}

/** Anyone can send these: only tags that run are counted, each once per report, and a text is only ever a short text. */
export function registerTagReports(
  app: FastifyInstance,
  { guard, buffer, evidence, counts, breaker, isToldByEvent, ...deps }: ReportDeps,
): void {
  app.post(TAG_REPORT_PATH, { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    guardPublicPost(guard, request, 'tag-report')
    const parsed = reportSchema.safeParse(request.body)
    if (!parsed.success) throw new AppError(400, 'bad_request', 'Not a tag report')
    // Counts in memory, which cannot fail.
    await storeWithin(guard, request, 'tag-report', async () => {})
    const { tags } = deps
    const { set, results, conversion, stopped = [] } = parsed.data
    const open = new Set(tags.recent.flatMap(({ tags: running }) => running.map((tag) => tag.id)))
    const ranSet = tags.recent.find(({ version }) => version !== null && version === set)
    const ran = new Map(ranSet?.members.map((member) => [member.tag.id, member]))
    const { hinders, mayHinder } = noteStopped(
      deps,
      ranSet === undefined ? [] : stopped,
      ranSet === undefined ? [] : [ranSet, ...tags.recent],
      neighbourhoodBlock(clientAddress(request)),
    )
    const visit = readVisit(parsed.data, ran, mayHinder)
    // Reports can be forged: of one place only so many count for what pauses a tag, and for what it costs.
    const isSampled = guard.limits.samples(request, 'breaker')
    const isCostSampled = results.some(isMeasured) && guard.limits.samples(request, 'breaker-cost')
    const counted: [PreparedTag, TagResult][] = []
    for (const result of results) {
      if (!open.delete(result.id)) continue
      const { id, outcome, error } = result
      const member = ran.get(id)
      const isHindered = member !== undefined && hinders(member)
      const isLoader = member !== undefined && isContainer(member)
      const column = chooseColumn(result, {
        isHindered,
        isLoader,
        absenceTells: member !== undefined && visit.absenceTells(member),
      })
      buffer.add(id, column, outcome === 'failed' ? cleanError(error) : null)
      if (member === undefined) continue
      noteEvidence(evidence, member, result, visit)
      // What one tag of a container is kept from must not pause all of them.
      const isFault = column === 'failed' && !(isLoader && isHindered && outcome === 'ran')
      if (isSampled) breaker.add(id, member.revision, isFault)
      if (isCostSampled && isMeasured(result)) breaker.addCost(id, member.revision, result.ms)
      counted.push([member, result])
    }
    if (isSampled) noteCost({ evidence, counts }, counted, parsed.data.unattributed_ms)
    if (results.some(({ id }) => ran.get(id)?.tag.conversions !== undefined)) counts.add('told')
    if (conversion !== undefined) {
      const subject = `conversion:${conversion.name}` as const
      const told = [...new Set(conversion.ids)].flatMap((id) => ran.get(id) ?? [])
      for (const { tag, revision } of told) evidence.add(tag.id, revision, subject, 'called')
      // One thing done, however many vendors were told of it.
      const isFirstWord = told.length > 0 && conversion.is_more !== true
      if (isFirstWord && !(await isToldByEvent(request.headers.cookie))) counts.add(subject)
    }
    return reply.code(204).send()
  })
}

function isMeasured(result: TagResult): result is TagResult & { ms: number } {
  return result.ms !== undefined && result.requests !== undefined
}

function cleanError(error = ''): string | null {
  const text = error
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, TAG_ERROR_MAX_LENGTH)
  return text === '' ? null : text
}
