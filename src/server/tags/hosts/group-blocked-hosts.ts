import type { BlockedGroup, BlockedHost } from '#contract/tag-status.ts'

/** One line per vendor and the pixels that it belongs to; a host without a name is a line of its own. */
export function groupBlockedHosts(hosts: readonly BlockedHost[]): BlockedGroup[] {
  const owners = new Map<string, string[]>()
  for (const { host, pixel_ids } of hosts)
    owners.set(host, [...new Set([...(owners.get(host) ?? []), ...pixel_ids])].sort())
  const groups = new Map<string, BlockedHost[]>()
  for (const host of hosts) {
    const key = host.vendor === null ? host.host : `${host.vendor.name}\n${owners.get(host.host)?.join()}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [host])
    else group.push(host)
  }
  return [...groups.values()].map(describe)
}

function describe(group: BlockedHost[]): BlockedGroup {
  const [first] = group as [BlockedHost]
  const hosts = [...new Set(group.map(({ host }) => host))].sort()
  const pixel_ids = [...new Set(group.flatMap((host) => host.pixel_ids))]
  const unknown = pixel_ids.length === 0 ? 'Uma tag desconhecida' : 'Algo que esta tag carrega'
  return {
    vendor: first.vendor,
    pixel_ids,
    hosts,
    ids: group.map(({ id }) => id),
    permit_ids: group.filter(({ permit }) => permit === 'set').map(({ id }) => id),
    message: `${first.vendor?.name ?? unknown} não conseguiu enviar (${hosts.join(', ')}).`,
  }
}
