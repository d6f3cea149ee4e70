import type { AppDeps } from '#server/app.ts'
import { compressQuickly } from '#server/http/static/responses.ts'

/**
 * Options for servers in a test's own process, of which a run starts hundreds. Production's values are tested on the
 * built server by `tests/process/page-bytes.test.ts`, and the size of the page by `page-weight.test.ts`.
 */
export const QUICK_WORK = {
  /** Tests that read counts wait for the next write. */
  flushMs: 100,
  /** A twentieth of the cost: tests hash thousands of passwords. */
  hashCost: { memoryCost: 1_024, timeCost: 1, parallelism: 1 },
  /** The highest level takes a third of a second per server. */
  compressPage: compressQuickly,
} satisfies Pick<AppDeps, 'flushMs' | 'hashCost' | 'compressPage'>
