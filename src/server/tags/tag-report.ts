import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { CONVERSIONS } from '#contract/conversions.ts'
import { parsePublicHost } from '#contract/public-host.ts'
import { TAG_COST_MAX } from '#contract/tag-cost.ts'
import {
  HIT_VERDICTS,
  TAG_ERROR_MAX_LENGTH,
  TAG_OUTCOMES,
  TAG_REPORT_MAX_HOSTS,
  TAG_REPORT_MAX_RESULTS,
  TAG_REPORT_MAX_STOPPED,
  TAG_REPORT_PATH,
  TAG_VERDICTS,
  type TagReport,
  type TagResult,
  type TagVerdict,
} from '#contract/tag-report.ts'
import { AppError } from '../http/errors.ts'
import { BODY_BYTES } from '../http/limits/limits.ts'
import { guardPublicPost, type PublicGuard, storeWithin } from '../http/limits/public.ts'
import { matchesSource, SOURCE_KEYS } from '../http/security/content-security-policy.ts'
import { clientAddress, coarseNetwork } from '../http/sockets/addresses.ts'
import type { Stats } from '../stats/counts.ts'
import type { SeriesKeys } from '../stats/series.ts'
import type { VisitWatch } from './health/breaker.ts'
import { countCost } from './health/cost.ts'
import type { LastSeen } from './health/last-seen.ts'
import { isContainer, noteStopped, type StoppedDeps } from './hosts/violations.ts'
import type { PreparedTag } from './serve/prepare-tag.ts'
import type { TagSet } from './serve/tag-set.ts'

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
    }),
  ),
})

export interface ReportDeps extends StoppedDeps {
  guard: PublicGuard
  stats: Stats
  lastSeen: LastSeen
  breaker: VisitWatch
}

/** Anybody can send reports: only active tags count, each once per report, and texts are cut. */
export function registerTagReports(
  app: FastifyInstance,
  { guard, stats, lastSeen, breaker, ...deps }: ReportDeps,
): void {
  app.post(TAG_REPORT_PATH, { bodyLimit: BODY_BYTES.tagReport }, async (request, reply) => {
    guardPublicPost(guard, request, 'tag-report')
    const parsed = reportSchema.safeParse(request.body)
    if (!parsed.success) throw new AppError(400, 'bad_request', 'Not a tag report')
    // Counted in memory, which cannot fail.
    await storeWithin(guard, request, 'tag-report', async () => {})
    const { tags } = deps
    const { set, results, conversion, stopped = [] } = parsed.data
    const counted = new Set<string>()
    const ranSet = tags.recent.find(({ version }) => version !== null && version === set)
    const ran: TagSet['memberOf'] = ranSet?.memberOf ?? new Map()
    const { hinders, mayHinder } = noteStopped(
      deps,
      ranSet === undefined ? [] : stopped,
      ranSet === undefined ? [] : [ranSet, ...tags.recent],
      () => coarseNetwork(clientAddress(request)),
    )
    const visit = readVisit(parsed.data, ran, mayHinder)
    // Reports can be forged: per address only a few count for the breaker and for costs.
    const isSampled = guard.limits.samples(request, 'breaker')
    const isCostSampled = results.some(isMeasured) && guard.limits.samples(request, 'breaker-cost')
    const measured: [PreparedTag, TagResult][] = []
    for (const result of results) {
      const { id, outcome, error } = result
      if (counted.has(id) || !tags.recent.some(({ memberOf }) => memberOf.has(id))) continue
      counted.add(id)
      const member = ran.get(id)
      const isHindered = member !== undefined && hinders(member)
      const isLoader = member !== undefined && isContainer(member)
      const column = chooseResult(result, {
        isHindered,
        isLoader,
        absenceTells: member !== undefined && visit.absenceTells(member),
      })
      stats.add({ series: 'tag.result', subject: id, key: column })
      lastSeen.add(id, { ran: column === 'ran', error: outcome === 'failed' ? cleanError(error) : null })
      if (member === undefined) continue
      countObservations(stats, member, result, visit)
      // A blocked tag inside a container must not pause the whole container.
      const isFault = column === 'failed' && !(isLoader && isHindered && outcome === 'ran')
      if (isSampled) breaker.add(id, member.revision, isFault)
      if (isCostSampled && isMeasured(result)) breaker.addCost(id, member.revision, result.ms)
      measured.push([member, result])
    }
    if (isSampled) countCost(stats, measured, parsed.data.unattributed_ms)
    if (conversion !== undefined) {
      for (const { tag, revision } of new Set(conversion.ids.flatMap((id) => ran.get(id) ?? [])))
        stats.add({
          series: 'tag.seen',
          subject: tag.id,
          key: `${revision} conversion:${conversion.name} called`,
        })
    }
    return reply.code(204).send()
  })
}

/** The result of one visit that ran a tag; `ran` is shown as `reached`. */
type VisitResult = Extract<SeriesKeys['tag.result'], 'ran' | 'blocked' | 'failed'>

/** What else the visit's report says of this tag. */
interface SeenBeside {
  /** Our policy stopped something of this tag for certain. */
  isHindered: boolean
  /** A container: a loaded script proves nothing about what it loads. */
  isLoader?: boolean
  /** In this visit, a page view that was not seen was not sent. */
  absenceTells: boolean
}

/**
 * A visit counts once, by its worst result, in this order: our policy stopped a script of the tag; the visitor's
 * browser or network stopped one, or its page view; its code threw an error. A tag that ran all its steps has reached
 * its vendor, unless our policy stopped its page view or it is known not to have been sent.
 */
export function chooseResult({ outcome, hit }: TagResult, seen: SeenBeside): VisitResult {
  if (outcome === 'stopped') return 'failed'
  if (outcome === 'blocked' || hit === 'failed') return 'blocked'
  if (outcome === 'failed') return 'failed'
  if (seen.isHindered && seen.isLoader === true) return 'failed'
  if (hit === 'answered' || hit === 'sent') return 'ran'
  if (seen.isHindered) return 'failed'
  return hit === 'none' && seen.absenceTells ? 'failed' : 'ran'
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

/**
 * Adds what one visit observed of one tag. Only hosts of the tag's policy count, each under its entry, which bounds the
 * number of rows.
 */
function countObservations(
  stats: Stats,
  member: PreparedTag,
  { outcome, hit }: TagResult,
  { hosts, absenceOf }: Visit,
): void {
  const { tag, sources, revision } = member
  const observed = { series: 'tag.seen', subject: tag.id } as const
  stats.add({ ...observed, key: `${revision} visit ${outcome}` })
  const seenHit = hit === 'none' ? absenceOf(member) : hit
  if (seenHit && tag.hit !== undefined) stats.add({ ...observed, key: `${revision} hit ${seenHit}` })
  const entries = [...new Set(SOURCE_KEYS.flatMap((key) => sources[key]))]
  const seen = new Map<string, string>()
  for (const [host, verdict] of hosts) {
    const entry = entries.find((source) => matchesSource(host, source))
    if (entry !== undefined && !seen.has(entry)) seen.set(entry, verdict)
  }
  for (const [entry, verdict] of seen) stats.add({ ...observed, key: `${revision} host:${entry} ${verdict}` })
}

/** What a report says beyond the result of each tag. */
interface Visit {
  hosts: readonly (readonly [host: string, verdict: TagVerdict])[]
  /** True if a page view of this tag that is not in the timeline was not sent. */
  absenceTells(member: PreparedTag): boolean
  /** What to count for a page view that was not seen; null if our policy may have stopped it. */
  absenceOf(member: PreparedTag): 'none' | 'unseen' | null
}

/**
 * Chromium has no entry for a `fetch` whose body is never read, and WebKit none for failed requests. There, only the
 * page view of another account of the same vendor in the same visit shows that this one would have been seen. Otherwise
 * it counts as unseen: many such visits are a warning, not a proof. Nothing is concluded from what our own policy may
 * have stopped.
 */
export function readVisit(
  { hosts = {}, results, sees_all: seesAll = false }: Pick<TagReport, 'hosts' | 'results' | 'sees_all'>,
  members: ReadonlyMap<string, PreparedTag>,
  isHindered: (member: PreparedTag) => boolean,
): Visit {
  const isSeen = new Set(
    results.flatMap(({ id, hit = 'none' }) => (hit === 'none' ? [] : [vendorKey(members.get(id))])),
  )
  const absenceTells = (member: PreparedTag) =>
    (seesAll || isSeen.has(vendorKey(member))) && !isHindered(member)
  return {
    hosts: Object.entries(hosts)
      .slice(0, TAG_REPORT_MAX_HOSTS)
      .flatMap(([name, verdict]) => {
        const host = parsePublicHost(name)
        return host === null ? [] : [[host, verdict] as const]
      }),
    absenceTells,
    absenceOf: (member) => (absenceTells(member) ? 'none' : isHindered(member) ? null : 'unseen'),
  }
}

/** The destination of page views: the same for every account of a vendor. */
function vendorKey(member: PreparedTag | undefined): string | undefined {
  return member?.tag.hit?.hosts.join()
}
