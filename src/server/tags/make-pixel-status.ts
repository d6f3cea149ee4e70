import { type BlockedHost, type PixelStatus, TAG_REFUSED, type TagWarning } from '#contract/tag-status.ts'
import type { Breaker } from './breaker/read-breakers.ts'
import type { Double, NamedPixel } from './find-doubles.ts'
import { judgeHealth } from './health/judge-health.ts'
import { NO_EVIDENCE, type TagEvidence } from './health/read-evidence.ts'
import { listPixelHosts, type Permission } from './hosts/list-pixel-hosts.ts'
import type { ReportCounts } from './read-report-counts.ts'
import type { TagStore } from './tag-store.ts'
import { vendorById } from './vendor-sources.ts'
import { WARNINGS } from './warnings.ts'

/** What is known of all pixels together. */
export interface PixelFacts {
  tags: TagStore
  ownHosts: ReadonlySet<string>
  isPaused: boolean
  counts: ReadonlyMap<string, ReportCounts>
  evidence: ReadonlyMap<string, TagEvidence>
  stopped: ReadonlyMap<string, BlockedHost[]>
  doubles: ReadonlyMap<string, Double>
  breakers: ReadonlyMap<string, Breaker>
  /** null when hosts are not listed. */
  permissions: ReadonlyMap<string, Permission[]> | null
}

const UNCOUNTED: ReportCounts = { ran: 0, blocked: 0, failed: 0, last_ran_at: null, last_error: null }

export function makePixelStatus(
  pixel: NamedPixel & { vendor: string | null; is_active: boolean },
  { tags, ownHosts, isPaused, counts, evidence, stopped, doubles, breakers, permissions }: PixelFacts,
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
  return {
    pixel_id: id,
    runnable: compiled === null ? refusal === null : compiled.steps.length + compiled.head.length > 0,
    warnings,
    ...own,
    vendor: vendor === undefined ? null : { id: vendor.id, name: vendor.name },
    hosts:
      prepared === undefined || permissions === null
        ? []
        : listPixelHosts(prepared.spending, ownHosts, permissions.get(id) ?? []),
    ...judgeHealth({
      isActive,
      isPaused,
      breaker: breakers.get(id) ?? null,
      // Until it is compiled nobody can say that it is empty.
      steps: compiled?.steps.length ?? 1,
      headItems: compiled?.head.length ?? 0,
      refusal,
      isLeftOut,
      warnings: compiled?.warnings ?? [],
      vendorName: vendor?.name ?? `a plataforma de "${pixel.name.slice(0, 60)}"`,
      visibleId: prepared?.tag.hit?.id ?? null,
      evidence: evidence.get(id) ?? NO_EVIDENCE,
      lastError: own.last_error,
      stopped: stopped.get(id) ?? [],
    }),
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
