import type { TagSet } from './compose-tag-set.ts'
import type { Violation } from './read-violation.ts'
import { matchesSource, VENDOR_HOSTS } from './vendor-hosts.ts'

/** Which pixel it was: the one whose file it came from, or the only one that loads scripts from where it came. */
export function attributeViolation({ sourceFile }: Violation, sets: readonly TagSet[]): string | null {
  if (sourceFile === null) return null
  const { pathname, hostname } = new URL(sourceFile)
  for (const set of sets) {
    const owner = set.owners.get(pathname)
    if (owner !== undefined) return owner
  }
  const [current] = sets
  const loaders = (current?.tags ?? []).filter(
    (tag) =>
      tag.hosts.includes(hostname) ||
      VENDOR_HOSTS[tag.type].script.some((source) => matchesSource(hostname, source)),
  )
  return loaders.length === 1 ? (loaders[0]?.id ?? null) : null
}
