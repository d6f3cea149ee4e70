import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'

/**
 * Until a check in the page is met. Asked from here: the driver's own way waits for frames of the page or for its timers,
 * and on a busy machine the browser may draw no frame of a page that does not change.
 */
export async function until<Argument = undefined>(
  page: Page,
  check: (argument: Argument) => unknown,
  argument?: Argument,
): Promise<void> {
  const ask = () => page.evaluate(check as (argument: unknown) => unknown, argument)
  await vi.waitFor(async () => expect(await ask()).toBeTruthy(), { timeout: 30_000, interval: 100 })
}
