import { TAG_COST_MAX } from '#contract/tag-cost.ts'
import type { findOwners } from './observe.ts'
import type { TagRun } from './run-tags.ts'

/** Not in TypeScript's library yet. */
interface LongFrame extends PerformanceEntry {
  scripts: readonly { sourceURL: string; duration: number }[]
}

/** A visit's costs per tag; without a tag, what cannot be attributed. */
export type CostOf = (run?: TagRun) => { ms: number; requests: number }

/** Undefined in browsers without support. What it returns ends the measurement. */
export function watchCost(
  runs: ReadonlyMap<string, TagRun>,
  ownersOf: typeof findOwners,
): ((addresses: readonly string[]) => CostOf) | undefined {
  // An isolated frame is never painted and has no animation frames; everything long in it belongs to its one tag.
  const [alone] = top === window ? [] : runs.values()
  const type = alone ? 'longtask' : 'long-animation-frame'
  if (!PerformanceObserver.supportedEntryTypes?.includes(type)) return undefined
  /** By file. */
  const spent = new Map<string, number>()
  const keep = (entries: PerformanceEntryList) => {
    for (const entry of entries) {
      // In a process shared by frames, each also sees tasks of the others.
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
