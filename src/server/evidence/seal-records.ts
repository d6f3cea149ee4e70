import type { EvidenceSeal } from '#contract/consent.ts'
import type { Db } from '../db/database.ts'
import { inSteps, STEP_ROWS } from '../db/in-steps.ts'
import { appendLeaves } from './append-leaves.ts'
import { makeSeal } from './make-seal.ts'

/** What happens once a minute: everything that waits gets its leaf, in steps, and then all of it one seal. */
export async function sealRecords(
  db: Db,
  { now = Date.now(), signal }: { now?: number; signal?: AbortSignal } = {},
): Promise<EvidenceSeal | null> {
  await inSteps(async () => BigInt(await appendLeaves(db, STEP_ROWS)), signal)
  return signal?.aborted === true ? null : await makeSeal(db, now)
}
