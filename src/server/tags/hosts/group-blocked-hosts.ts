import type { BlockedGroup, BlockedHost } from '#contract/tag-status.ts'

/** One line per vendor and the pixels that it belongs to; a host without a name is a line of its own. */
export function groupBlockedHosts(hosts: readonly BlockedHost[]): BlockedGroup[] {
  const groups = new Map<string, BlockedHost[]>()
  for (const host of hosts) {
    const key = host.vendor === null ? host.id : `${host.vendor.name}\n${host.pixel_ids.join()}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [host])
    else group.push(host)
  }
  return [...groups.values()].map(describe)
}

function describe(group: BlockedHost[]): BlockedGroup {
  const [first] = group as [BlockedHost]
  const hosts = [...new Set(group.map(({ host }) => host))].sort()
  return {
    vendor: first.vendor,
    pixel_ids: first.pixel_ids,
    hosts,
    ids: group.map(({ id }) => id),
    permit_ids: group.filter(({ permit }) => permit === 'set').map(({ id }) => id),
    message: `${first.vendor?.name ?? 'Uma tag desconhecida'} não conseguiu enviar (${hosts.join(', ')}).`,
  }
}
