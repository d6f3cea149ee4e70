import axe from 'axe-core'
import type { Page } from 'playwright-core'

declare global {
  interface Window {
    axe: typeof axe
  }
}

/**
 * Axe violations of the current page, and whether it scrolls sideways. Axe is injected once per page, because that
 * costs more than a check.
 */
export async function findFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(async () => {
    // Animations have ended: contrast is checked on the final state.
    await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => null)))
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'], preload: false })
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
    const overflow = document.documentElement.scrollWidth - innerWidth
    return overflow > 0 ? [...found, `scrolls sideways by ${overflow} px`] : found
  })
}
