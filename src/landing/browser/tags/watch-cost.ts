import { TAG_COST_MAX } from '#contract/tag-cost.ts'
import type { findOwners } from './observe.ts'
import type { TagRun } from './run-tags.ts'

/** Not in TypeScript's library yet. */
interface LongFrame extends PerformanceEntry {
  scripts: readonly { sourceURL: string; duration: number }[]
}

/** What a visit spent on each tag; without one, what is not one tag's for certain. */
export type CostOf = (run?: TagRun) => { ms: number; requests: number }

/** Undefined in browsers that cannot tell. What it returns ends the measuring. */
export function watchCost(
  runs: ReadonlyMap<string, TagRun>,
  ownersOf: typeof findOwners,
): ((addresses: readonly string[]) => CostOf) | undefined {
  // A room is never painted, so that it has no animation frames; whatever is long in it is its one tag's.
  const [alone] = top === window ? [] : runs.values()
  const type = alone ? 'longtask' : 'long-animation-frame'
  if (!PerformanceObserver.supportedEntryTypes?.includes(type)) return undefined
  /** By file. */
  const spent = new Map<string, number>()
  const keep = (entries: PerformanceEntryList) => {
    for (const entry of entries) {
      // A process that rooms share tells each of the others' tasks, too.
      const own = entry.name === 'self' ? [{ sourceURL: location.href, duration: entry.duration }] : []
      for (const { sourceURL, duration } of alone ? own : (entry as LongFrame).scripts)
        spent.set(sourceURL, (spent.get(sourceURL) ?? 0) + duration)
    }
  }
  const observer = new PerformanceObserver((list) => keep(list.getEntries()))
  // It is loaded while the first tags run.
  observer.observe({ type, buffered: true })
  return (addresses) => {
    keep(observer.takeRecords())
    observer.disconnect()
    const costs = new Map<TagRun | undefined, { ms: number; requests: number }>()
    const add = (address: string, ms: number, requests: number) => {
      const [first, another] = ownersOf(address, runs)
      const owner = alone ?? (another ? undefined : first)
      const cost = costs.get(owner) ?? { ms: 0, requests: 0 }
      cost.ms = Math.min(TAG_COST_MAX, cost.ms + ms)
      cost.requests = Math.min(TAG_COST_MAX, cost.requests + requests)
      costs.set(owner, cost)
    }
    for (const [address, ms] of spent) add(address, ms, 0)
    for (const address of addresses) add(address, 0, 1)
    return (run) => {
      const { ms, requests } = costs.get(run) ?? { ms: 0, requests: 0 }
      return { ms: Math.round(ms), requests }
    }
  }
}
