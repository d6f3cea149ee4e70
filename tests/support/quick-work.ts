import type { AppDeps } from '#server/app.ts'
import { compressQuickly } from '#server/http/static/responses.ts'

/**
 * Options for servers in a test's own process, of which a run starts hundreds. Production's values are proved on the built
 * server, by `tests/process/page-bytes.test.ts`, and the size of the page by `page-weight.test.ts`.
 */
export const QUICK_WORK = {
  /** A test waits for the next write each time that it reads what was counted. */
  flushMs: 100,
  /** A twentieth of the cost: tests hash thousands of passwords. */
  hashCost: { memoryCost: 1_024, timeCost: 1, parallelism: 1 },
  /** The highest level is a third of a second of work for each server. */
  compressPage: compressQuickly,
} satisfies Pick<AppDeps, 'flushMs' | 'hashCost' | 'compressPage'>
