import type { CDPSession } from 'playwright-core'

/** Counts of what a page did: the same on fast and busy machines. */
export interface PageWork {
  /** Calls of the most frequent function: as many as there are rows, if it ran for each. */
  calls: number
  /** Elements in the document afterwards. */
  elements: number
  layouts: number
  /** Added and removed nodes, changed attributes and texts. */
  mutations: number
  commits: number
}

interface Observed {
  mutations: number
  commits: number
}

declare global {
  interface Window {
    pageWork: Observed
  }
}

/** Before the page's own scripts: React reports each commit to the hook of its developer tools, in production too. */
export function observePageWork(): void {
  const observed: Observed = { mutations: 0, commits: 0 }
  window.pageWork = observed
  Object.assign(window, {
    __REACT_DEVTOOLS_GLOBAL_HOOK__: {
      supportsFiber: true,
      inject: () => 1,
      onCommitFiberRoot: () => {
        observed.commits += 1
      },
      onCommitFiberUnmount: () => {},
      onPostCommitFiberRoot: () => {},
    },
  })
  new MutationObserver((records) => {
    for (const { addedNodes, removedNodes } of records)
      observed.mutations += Math.max(1, addedNodes.length + removedNodes.length)
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
}

/** Counts what `work` makes the page do. */
export async function countPageWork(cdp: CDPSession, work: () => Promise<unknown>): Promise<PageWork> {
  await cdp.send('Profiler.enable')
  await cdp.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await cdp.send('Performance.enable')
  const before = {
    ...(await evaluate<Observed>(cdp, 'window.pageWork')),
    layouts: await readMetric(cdp, 'LayoutCount'),
  }
  await work()
  const { result } = await cdp.send('Profiler.takePreciseCoverage')
  await cdp.send('Profiler.stopPreciseCoverage')
  const after = {
    ...(await evaluate<Observed>(cdp, 'window.pageWork')),
    layouts: await readMetric(cdp, 'LayoutCount'),
  }
  const counts = result.flatMap(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0))
  return {
    calls: Math.max(0, ...counts),
    elements: await evaluate<number>(cdp, "document.getElementsByTagName('*').length"),
    layouts: after.layouts - before.layouts,
    mutations: after.mutations - before.mutations,
    commits: after.commits - before.commits,
  }
}

async function evaluate<T>(cdp: CDPSession, expression: string): Promise<T> {
  const { result } = await cdp.send('Runtime.evaluate', { expression, returnByValue: true })
  return result.value as T
}

async function readMetric(cdp: CDPSession, wanted: string): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  const found = metrics.find(({ name }) => name === wanted)
  if (found === undefined) throw new Error(`the browser tells no ${wanted}`)
  return found.value
}
