import { findPixelIdFault } from '#contract/pixel-id.ts'
import { type BlockedHost, type PixelStatus, TAG_REFUSED, type TagWarning } from '#contract/tag-status.ts'
import { UNKNOWN_VENDOR, vendorById } from '#server/vendors/marks.ts'
import type { Breaker } from './breaker/read-breakers.ts'
import type { Double, NamedPixel } from './find-doubles.ts'
import { judgeCopies } from './health/judge-copies.ts'
import { judgeHealth } from './health/judge-health.ts'
import type { CopyEvidence } from './health/read-copy-evidence.ts'
import { NO_EVIDENCE, type TagEvidence } from './health/read-evidence.ts'
import { listPixelHosts, type Permission } from './hosts/list-pixel-hosts.ts'
import type { ReportCounts } from './read-report-counts.ts'
import type { TagStore } from './tag-store.ts'
import { WARNINGS } from './warnings.ts'

/** What is known of all pixels together. */
export interface PixelFacts {
  tags: TagStore
  ownHosts: ReadonlySet<string>
  isPaused: boolean
  counts: ReadonlyMap<string, ReportCounts>
  evidence: ReadonlyMap<string, TagEvidence>
  copies: ReadonlyMap<string, CopyEvidence>
  stopped: ReadonlyMap<string, BlockedHost[]>
  doubles: ReadonlyMap<string, Double>
  breakers: ReadonlyMap<string, Breaker>
  /** null when hosts are not listed. */
  permissions: ReadonlyMap<string, Permission[]> | null
}

const UNCOUNTED: ReportCounts = { ran: 0, blocked: 0, failed: 0, last_ran_at: null, last_error: null }

export function makePixelStatus(
  pixel: NamedPixel & { vendor: string | null; is_active: boolean },
  { tags, ownHosts, isPaused, counts, evidence, copies, stopped, doubles, breakers, permissions }: PixelFacts,
): PixelStatus {
  const { id, is_active: isActive } = pixel
  const prepared = tags.prepared.get(id)
  const compiled = prepared?.compiled ?? null
  const refusal = isActive ? tags.refusalOf(id) : null
  const isLeftOut = tags.current.leftOut.has(id)
  const vendor = vendorById(prepared?.marks[0]?.id ?? pixel.vendor ?? '')
  const warnings = isActive
    ? warningsOf(compiled?.warnings ?? [], { refusal, isLeftOut, double: doubles.get(id) })
    : []
  const own = counts.get(id) ?? UNCOUNTED
  const idFault = findPixelIdFault(pixel.type, pixel.pixel_id)?.message ?? null
  const copy = isActive && !isPaused ? copies.get(id) : undefined
  const isAbsent = copy?.delivery === 'server'
  const browser = judgeHealth({
    isActive,
    isPaused,
    isIsolated: prepared !== undefined && prepared.room !== null,
    breaker: breakers.get(id) ?? null,
    // Until it is compiled nobody can say that it is empty; of what the server tells alone, nothing has to run here.
    steps: prepared?.isTold === true ? 1 : (compiled?.steps.length ?? 1),
    headItems: compiled?.head.length ?? 0,
    refusal,
    isLeftOut,
    warnings: compiled?.warnings ?? [],
    vendorName: vendor?.name ?? UNKNOWN_VENDOR,
    visibleId: prepared?.tag.hit?.id ?? null,
    hasPageView: prepared?.tag.hit !== undefined,
    idFault,
    evidence: evidence.get(id) ?? NO_EVIDENCE,
    lastError: own.last_error,
    stopped: stopped.get(id) ?? [],
  })
  return {
    pixel_id: id,
    runnable:
      isAbsent || (compiled === null ? refusal === null : compiled.steps.length + compiled.head.length > 0),
    warnings,
    ...own,
    vendor: vendor === undefined ? null : { id: vendor.id, name: vendor.name },
    hosts:
      prepared === undefined || permissions === null || isAbsent
        ? []
        : listPixelHosts(prepared.spending, ownHosts, permissions.get(id) ?? []),
    ...(copy === undefined || (isActive && idFault !== null) ? browser : judgeCopies(browser, copy)),
  }
}

interface ServingFacts {
  refusal: string | null
  isLeftOut: boolean
  double: Double | undefined
}

/** Why an active tag is not on the page, or not as its code says. */
function warningsOf(
  compiled: readonly TagWarning[],
  { refusal, isLeftOut, double }: ServingFacts,
): TagWarning[] {
  return [
    ...(refusal === null ? [] : [{ code: TAG_REFUSED, message: refusal }]),
    ...(isLeftOut ? [WARNINGS.leftOut()] : []),
    ...compiled,
    ...(double === undefined ? [] : [WARNINGS.sameId(double.account, double.name)]),
  ]
}
