import { parsePublicHost } from '#contract/public-host.ts'
import { TAG_REPORT_MAX_HOSTS, type TagReport, type TagVerdict } from '#contract/tag-report.ts'
import type { PreparedTag } from '../prepare-tag.ts'

/** What one report says beyond what each tag did. */
export interface Visit {
  hosts: readonly (readonly [host: string, verdict: TagVerdict])[]
  /** Whether a page view of this tag that was not in the timeline was not sent. */
  absenceTells(member: PreparedTag): boolean
  /** What is kept of a page view that was not seen; null where our policy may have stopped it. */
  absenceOf(member: PreparedTag): 'none' | 'unseen' | null
}

/**
 * In Chromium a `fetch` whose answer nobody reads leaves no entry, in WebKit nothing does that failed: there it takes the
 * page view of another account of the same vendor, in the same visit, to know that this one would have been seen as well.
 * Without that, a page view that was not seen is kept as just that: many visits that agree are a warning, and no proof.
 * Nothing is told by what our own policy may have stopped.
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

/** Where page views go: the same for every account of a vendor. */
function vendorKey(member: PreparedTag | undefined): string | undefined {
  return member?.tag.hit?.hosts.join()
}
