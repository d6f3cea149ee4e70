import { TEST_LIFE_MS, TEST_MAX_STEPS, type TestStep } from '#contract/tag-test.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/locked.ts'
import { isStillAhead } from '#server/db/stored-time.ts'
import { AppError } from '#server/http/app-error.ts'
import { hashOpaqueToken } from '#server/http/opaque-token.ts'
import { type DueCopy, listCopies } from './list-copies.ts'

export interface AddedSteps {
  testId: string
  pixelId: string
  testCode: string | undefined
  /** What the server has to tell the vendor because of these steps, and of no earlier ones. */
  copies: DueCopy[]
}

/** Adds what the page under test saw, in the order in which it comes; what exceeds a test's measure is left out. */
export async function addSteps(
  db: Db,
  { key, steps }: { key: string; steps: readonly TestStep[] },
  now = Date.now(),
): Promise<AddedSteps> {
  return change(db, async (trx) => {
    const test = await locked(
      trx,
      trx
        .selectFrom('tag_tests')
        .select(['id', 'pixel_id', 'steps', 'key_until', 'test_code'])
        .where('key_hash', '=', hashOpaqueToken(key)),
    ).executeTakeFirst()
    if (test?.key_until == null || !isStillAhead(test.key_until, TEST_LIFE_MS, now))
      throw new AppError(404, 'no_test', 'There is no such test')
    const pixel = await trx
      .selectFrom('tracking_pixels')
      .select('delivery')
      .where('id', '=', test.pixel_id)
      .where('is_active', '=', true)
      .executeTakeFirst()
    const all = [...test.steps, ...steps].slice(0, Math.max(TEST_MAX_STEPS, test.steps.length))
    await trx
      .updateTable('tag_tests')
      .set({ steps: JSON.stringify(all) })
      .where('id', '=', test.id)
      .execute()
    const delivery = pixel?.delivery ?? 'browser'
    return {
      testId: test.id,
      pixelId: test.pixel_id,
      testCode: test.test_code || undefined,
      copies: listCopies(delivery, all).slice(listCopies(delivery, test.steps).length),
    }
  })
}
