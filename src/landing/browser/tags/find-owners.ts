import type { TagRun } from './tag-run.ts'
import { mayReach } from './watch-requests.ts'

/** The tag that names this very address; else those that load from its host, or the one whose ID the address carries. */
export function findOwners(address: string, runs: ReadonlyMap<string, TagRun>): TagRun[] {
  if (!URL.canParse(address)) return []
  const all = [...runs.values()]
  const loaders = all.filter((run) => run.loads(address) || run.owns(address))
  if (loaders[0]) return loaders
  const { hostname } = new URL(address)
  const owners = all.filter(({ tag }) => mayReach(tag, hostname))
  const named = owners.filter(({ tag }) => {
    const id = tag.vendorId ?? tag.hit?.id
    return id && address.includes(id)
  })
  return named[0] ? named : owners
}
