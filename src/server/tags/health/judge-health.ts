import { describeRemoval, ROOM_REMOVALS } from '#contract/isolated-frame.ts'
import type { BlockedHost, HealthReason, PixelHealth, TagWarning } from '#contract/tag-status.ts'
import type { Breaker } from '../breaker/read-breakers.ts'
import { HEALTH_WORDS } from './health-words.ts'
import type { TagEvidence } from './read-evidence.ts'

export interface HealthInput {
  isActive: boolean
  isPaused: boolean
  /** True where it runs in a frame of its own. */
  isIsolated?: boolean
  breaker: Breaker | null
  /** Steps that run after consent, and items in the page's own HTML. */
  steps: number
  headItems: number
  refusal: string | null
  isLeftOut: boolean
  warnings: readonly TagWarning[]
  vendorName: string
  /** Where the vendor writes the account's ID into the address of its page view, that ID. */
  visibleId: string | null
  /** The catalogue says where its page view goes. */
  hasPageView: boolean
  /** Why its ID cannot be one of its vendor. */
  idFault: string | null
  evidence: TagEvidence
  lastError: string | null
  /** What our policy stopped of this pixel. */
  stopped: readonly BlockedHost[]
}

/** Fewer visits than this without the vendor are ad blockers and bad networks, as everywhere. */
const SHARE = 0.1
/** A slow network or a vendor that had nothing to say once prove nothing: so many visits must agree. */
const AGREEING_VISITS = 3
/** Of what stands in these, something does not do what its author expects. */
const BREAKING = new Set([
  'does_not_parse',
  'document_write',
  'eval',
  'not_https',
  'unusable_address',
  'hidden_container',
  'placeholder',
  'other_id',
  'universal_analytics',
])
const REMOVALS: ReadonlySet<string | null> = new Set(Object.values(ROOM_REMOVALS))

/** The table of docs/evidence.md. Whatever contradicts "Funcionando" is said; what nobody saw is not claimed. */
export function judgeHealth(input: HealthInput): PixelHealth {
  const judged = judge(input)
  if (!input.isIsolated || !mayMissPage(judged, input)) return judged
  return { ...judged, reasons: [...judged.reasons, HEALTH_WORDS.isolated(input.vendorName)] }
}

/** Isolation explains neither what a blocker, the network or our policy stopped, nor a tag that was removed for what it did. */
function mayMissPage({ health, reasons }: PixelHealth, { lastError }: HealthInput): boolean {
  if (health !== 'broken' && health !== 'partial') return false
  return reasons.some(
    ({ code }) => code === 'nothing_sent' || (code === 'script_error' && !REMOVALS.has(lastError)),
  )
}

function judge(input: HealthInput): PixelHealth {
  if (!input.isActive) return { health: 'off', confirmed: false, reasons: [] }
  const unable = whyNothingRuns(input)
  if (unable !== null) return { health: 'broken', confirmed: false, reasons: [unable] }
  if (input.breaker?.state === 'paused')
    return { health: 'paused', confirmed: false, reasons: [HEALTH_WORDS.tripped(input.breaker)] }
  if (input.isPaused && input.steps > 0) return { health: 'paused', confirmed: false, reasons: [] }
  if (input.idFault !== null)
    return { health: 'broken', confirmed: false, reasons: [HEALTH_WORDS.impossibleId(input.idFault)] }
  const faults = [...input.stopped.map(HEALTH_WORDS.stopped(input.vendorName)), ...faultsInCode(input)]
  if (input.steps === 0) {
    return faults.length > 0
      ? { health: 'partial', confirmed: false, reasons: faults }
      : { health: 'working', confirmed: true, reasons: [HEALTH_WORDS.inPage()] }
  }
  const all = sum(input.evidence.visits)
  if (all === 0) return { health: 'waiting', confirmed: false, reasons: faults }
  const warned = input.breaker === null ? [] : [HEALTH_WORDS.tripped(input.breaker)]
  const seen = [...warned, ...faults, ...faultsOfVisits(input, all)]
  // What our own policy stopped has a host and a button that mends it: faults, and nothing worse.
  if (input.stopped.length === 0 && !reachedVendor(input, all))
    return { health: 'broken', confirmed: false, reasons: seen }
  const sent = judgeHits(input)
  if (sent === 'never') {
    const reason = HEALTH_WORDS.nothingSent(input.vendorName, input.visibleId, input.evidence.hit.none ?? 0)
    return { health: 'broken', confirmed: false, reasons: [...seen, reason] }
  }
  if (sent === 'unseen')
    seen.push(HEALTH_WORDS.nothingSeen(input.vendorName, input.visibleId, sum(input.evidence.hit)))
  const confirmed = sent === 'confirmed'
  if (seen.length > 0) return { health: 'partial', confirmed, reasons: seen }
  return { health: 'working', confirmed, reasons: confirmed ? [] : [whyUnconfirmed(input)] }
}

/** Why nobody knows, and what would tell. */
function whyUnconfirmed({
  vendorName,
  visibleId,
  hasPageView,
  evidence: { hit },
}: HealthInput): HealthReason {
  if (!hasPageView) return HEALTH_WORDS.unknownVendor()
  if (sum(hit) === 0) return HEALTH_WORDS.leftEarly(vendorName)
  if (absentOf(hit) === sum(hit)) return HEALTH_WORDS.notSeen(vendorName, visibleId, sum(hit))
  return visibleId === null
    ? HEALTH_WORDS.showsNoId(vendorName)
    : HEALTH_WORDS.notConfirmed(vendorName, visibleId)
}

/** False only where visits prove that nothing got through: what a few visitors' own browsers stopped is no proof. */
function reachedVendor({ evidence: { visits, hit, hosts } }: HealthInput, all: number): boolean {
  if ((visits.ran ?? 0) > 0) return true
  const found = [hit, ...hosts.values()]
  if (found.some((counts) => (counts.answered ?? 0) + (counts.sent ?? 0) > 0)) return true
  // In Chromium a script that was blocked leaves the same trace as a request that arrived.
  const mayHave = (visits.failed ?? 0) > 0 ? found : [hit]
  if (mayHave.some((counts) => (counts.unknown ?? 0) > 0)) return true
  return visits.blocked === all && all < AGREEING_VISITS
}

function whyNothingRuns(input: HealthInput): HealthReason | null {
  if (input.refusal !== null) return HEALTH_WORDS.refused(input.refusal)
  if (input.isLeftOut) return HEALTH_WORDS.leftOut()
  return input.steps + input.headItems === 0 ? HEALTH_WORDS.nothingRuns(input.warnings) : null
}

function faultsInCode({ warnings }: HealthInput): HealthReason[] {
  return warnings.filter(({ code }) => BREAKING.has(code)).map(HEALTH_WORDS.warning)
}

const wordsOf = (error: string | null) => (error === null ? null : (describeRemoval(error) ?? error))

function faultsOfVisits(
  { evidence: { visits }, lastError, vendorName, stopped }: HealthInput,
  all: number,
): HealthReason[] {
  const share = (count = 0) => count > 0 && count / all >= SHARE
  return [
    ...(share(visits.blocked) ? [HEALTH_WORDS.blocked(vendorName, visits.blocked ?? 0, all)] : []),
    ...(share(visits.failed) ? [HEALTH_WORDS.failed(visits.failed ?? 0, all, wordsOf(lastError))] : []),
    // A report of the policy names the host; without one there is still the visit that says so.
    ...(share(visits.stopped) && stopped.length === 0
      ? [HEALTH_WORDS.stoppedScript(visits.stopped ?? 0, all)]
      : []),
  ]
}

function absentOf({ none = 0, unseen = 0 }: TagEvidence['hit']): number {
  return none + unseen
}

/**
 * `never`: visits agree that it ran, that nothing kept it from sending, and that nothing left. A script or a settings file
 * that was loaded proves no page view: only a request that carries the account's ID confirms one. `unseen`: as many agree
 * that nothing was seen, with browsers that may miss it.
 */
function judgeHits({ evidence: { hit, visits }, visibleId, stopped }: HealthInput): Sent {
  const hasSent = (hit.answered ?? 0) + (hit.sent ?? 0) > 0
  if (hasSent) return visibleId === null ? 'unconfirmed' : 'confirmed'
  const isHindered = stopped.length > 0 || (visits.stopped ?? 0) > 0
  if (isHindered || absentOf(hit) < Math.max(sum(hit), AGREEING_VISITS)) return 'unconfirmed'
  return visibleId !== null && (hit.none ?? 0) >= AGREEING_VISITS ? 'never' : 'unseen'
}

type Sent = 'confirmed' | 'unconfirmed' | 'unseen' | 'never'

function sum(counts: Partial<Record<string, number>>): number {
  return Object.values(counts).reduce<number>((total, count) => total + (count ?? 0), 0)
}
