import { vendorOfHost } from '../vendors/vendor-of-host.ts'
import type { TagSet } from './compose-tag-set.ts'
import type { PreparedTag } from './prepare-tag.ts'
import type { Violation } from './read-violation.ts'
import { matchesSource } from './source-keys.ts'

/**
 * Which pixel it was: the one whose file it came from, the only one that loads scripts from where it came, or the only
 * one of the vendor whose host it is. Chromium names no file for pictures, so that most beacons are told by their vendor.
 */
export function attributeViolation({ host, sourceFile }: Violation, sets: readonly TagSet[]): string | null {
  // What happens in a room is told as of its path.
  const members = (sets[0]?.members ?? []).filter(({ room }) => room === null)
  if (sourceFile !== null) {
    const { pathname, hostname } = new URL(sourceFile)
    for (const set of sets) {
      const owner = set.owners.get(pathname)
      if (owner !== undefined) return owner
    }
    const loader = onlyOne(members, ({ tag, sources }) =>
      [...tag.hosts, ...sources.script].some((source) => matchesSource(hostname, source)),
    )
    if (loader !== null) return loader
  }
  const vendor = vendorOfHost(host)
  if (vendor === null) return null
  return onlyOne(members, ({ marks }) => marks.some(({ id }) => id === vendor.id))
}

function onlyOne(members: readonly PreparedTag[], fits: (member: PreparedTag) => boolean): string | null {
  const found = members.filter(fits)
  return found.length === 1 ? (found[0]?.tag.id ?? null) : null
}
