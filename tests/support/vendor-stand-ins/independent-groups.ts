import type { StandIn } from './stand-in.ts'

/** The entries of a vendor in the page's policy. */
type Opens = (vendor: string) => readonly string[]

/**
 * Groups in which no vendor's policy opens a host of another one: a vendor that works in such a group works alone, and
 * many are tested in one visit. A container opens the page to whatever it loads, and is alone.
 */
export function independentGroups(standIns: readonly StandIn[], opens: Opens): StandIn[][] {
  const groups: StandIn[][] = []
  for (const standIn of standIns) {
    const group = groups.find((members) => members.every((member) => !meet(member, standIn, opens)))
    if (group === undefined) groups.push([standIn])
    else group.push(standIn)
  }
  return groups
}

function meet(one: StandIn, other: StandIn, opens: Opens): boolean {
  if ([one.vendor, other.vendor].includes('google-tag-manager')) return true
  return helps(one, other, opens) || helps(other, one, opens)
}

function helps(helper: StandIn, helped: StandIn, opens: Opens): boolean {
  return hostsOf(helped).some((host) => opens(helper.vendor).some((entry) => admits(entry, host)))
}

export function hostsOf({ answers }: StandIn): string[] {
  return [...new Set(Object.keys(answers).map((address) => address.split('/', 1)[0] ?? ''))]
}

/** As a content security policy reads an entry. */
function admits(entry: string, host: string): boolean {
  const name = entry.replace(/^wss:\/\//, '')
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
}
