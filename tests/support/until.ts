import type { Page } from 'playwright-core'

/**
 * Until a check in the page is met. It looks by the clock: the driver's own way is once a frame, and on a busy machine the
 * browser may draw no frame of a page that does not change.
 */
export async function until<Argument = undefined>(
  page: Page,
  check: (argument: Argument) => unknown,
  argument?: Argument,
): Promise<void> {
  await page.waitForFunction(check as (argument: unknown) => unknown, argument, { polling: 50 })
}
