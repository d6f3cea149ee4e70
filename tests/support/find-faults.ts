import axe from 'axe-core'
import type { Page } from 'playwright-core'

declare global {
  interface Window {
    axe: typeof axe
  }
}

/**
 * What axe finds wrong with the page as it is now, and whether it scrolls sideways. Axe is brought into a page once, and
 * then looks at each of its states: bringing it costs more than looking.
 */
export async function findFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(async () => {
    // Whatever is appearing has appeared: contrast is judged on what people end up seeing.
    await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => null)))
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'], preload: false })
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
    const overflow = document.documentElement.scrollWidth - innerWidth
    return overflow > 0 ? [...found, `scrolls sideways by ${overflow} px`] : found
  })
}
