import axe from 'axe-core'
import { vi } from 'vitest'

/** What axe finds in the document as it is now. Contrast needs a browser that draws, and is judged by the journeys. */
export async function findComponentFaults(part: Element = document.body): Promise<string[]> {
  // Axe waits by timers, which stand still here until somebody moves them.
  vi.useRealTimers()
  const { violations } = await axe.run(part as HTMLElement, {
    resultTypes: ['violations'],
    rules: { 'color-contrast': { enabled: false } },
  })
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
