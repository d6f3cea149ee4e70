import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** Axe violations of a page, or of a part. There are no frames of other origins, so it may run inside the page. */
export async function findViolations(page: Page, part = 'html'): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .include(part)
    .options({ resultTypes: ['violations'] })
    .setLegacyMode()
    .analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
