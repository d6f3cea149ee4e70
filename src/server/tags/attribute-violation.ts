import { vendorOfHost } from '../vendors/vendor-of-host.ts'
import type { TagSet } from './compose-tag-set.ts'
import type { PreparedTag } from './prepare-tag.ts'
import type { Violation } from './read-violation.ts'
import { matchesSource } from './source-keys.ts'

/** The policy is the page's: what is stopped of a vendor is stopped for each of its pixels, of which so many are named. */
const MAX_OWNERS = 20

/**
 * Which pixels it was, of the set that the page ran (the first) or of an older one. In this order: the one that the page
 * names, by the ID in the address of the script that tried; the one whose file it came from; the only one that loads
 * scripts from where it came; those of the vendor whose host it is. Chromium names no file for pictures, so that most
 * beacons are told by their vendor. A container loads what nobody here knows: whatever is left is put down to it.
 */
export function attributeViolation(
  { host, sourceFile, tag: named }: Violation,
  sets: readonly TagSet[],
): PreparedTag[] {
  const known = sets[0]?.members ?? []
  if (named !== null) {
    const member = known.find(({ tag }) => tag.id === named)
    if (member !== undefined) return [member]
  }
  // What happens in a room is told as of its path.
  const members = known.filter(({ room }) => room === null)
  const containers = members.filter(isContainer)
  if (sourceFile !== null) {
    const { pathname, hostname, search } = new URL(sourceFile)
    for (const set of sets) {
      const owner = set.owners.get(pathname)
      if (owner !== undefined) return set.members.filter(({ tag }) => tag.id === owner)
    }
    const loaders = members.filter(({ tag, sources }) =>
      [...tag.hosts, ...sources.script].some((source) => matchesSource(hostname, source)),
    )
    const byId = loaders.filter(({ tag }) => tag.vendorId !== null && search.includes(tag.vendorId))
    if (byId.length > 0) return byId
    if (loaders.length === 1) return loaders
    if (loaders.length === 0 || loaders.some(isContainer)) {
      if (containers.length > 0) return containers.slice(0, MAX_OWNERS)
    }
  }
  const vendor = vendorOfHost(host)
  const ofVendor = members.filter(({ marks }) => marks.some(({ id }) => id === vendor?.id))
  return (ofVendor.length > 0 ? ofVendor : containers).slice(0, MAX_OWNERS)
}

export function isContainer({ tag }: PreparedTag): boolean {
  return tag.type === 'google_tag_manager'
}
