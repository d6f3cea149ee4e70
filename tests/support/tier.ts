const TIERS = ['all', 'fast', 'full', 'postgres'] as const
export type Tier = (typeof TIERS)[number]

/**
 * Which tests run. `fast` is `npm test`. `full` (files named `*.full.test.ts`) and `postgres` (the tests that `fast`
 * ran on SQLite only, on PostgreSQL) are `npm run test:full`. `all` is the default: running one file runs all of it.
 */
export const tier = readTier(process.env.TEST_TIER ?? 'all')

function readTier(name: string): Tier {
  const found = TIERS.find((known) => known === name)
  if (found === undefined) throw new Error(`TEST_TIER is one of ${TIERS.join(', ')}, not ${name}`)
  return found
}
