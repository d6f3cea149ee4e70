import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'

/**
 * Polls a check in the page. From here, because the driver's own way waits for frames or timers, and a busy browser may
 * draw no frame of a page that does not change.
 */
export async function until<Argument = undefined>(
  page: Page,
  check: (argument: Argument) => unknown,
  argument?: Argument,
): Promise<void> {
  const ask = () => page.evaluate(check as (argument: unknown) => unknown, argument)
  await vi.waitFor(async () => expect(await ask()).toBeTruthy(), { timeout: 30_000, interval: 100 })
}
