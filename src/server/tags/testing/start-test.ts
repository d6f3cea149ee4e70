import { type StartedTest, TEST_LIFE_MS } from '#contract/tag-test.ts'
import { change } from '#server/db/change.ts'
import { readTagsVersion } from '#server/db/changes.ts'
import { locked } from '#server/db/locked.ts'
import { isStillAhead } from '#server/db/stored-time.ts'
import { AppError } from '#server/http/app-error.ts'
import { hashOpaqueToken, makeOpaqueToken } from '#server/http/opaque-token.ts'
import { vendorById } from '#server/vendors/marks.ts'
import type { Vendor } from '#server/vendors/vendor.ts'
import type { PreparedTag } from '../prepare-tag.ts'
import { findTested } from './find-tested.ts'
import type { TestDeps } from './test-deps.ts'

/**
 * Trades the token of a link for the key of one page's reports. The token is spent with it: whoever comes with the same
 * one again, or late, or for somebody who is no administrator any more, is told the same nothing.
 */
export async function startTest(
  { db, tags }: Pick<TestDeps, 'db' | 'tags'>,
  { token, set }: { token: string; set: string },
  now = Date.now(),
): Promise<StartedTest> {
  await tags.refreshIfNotAt(await readTagsVersion(db))
  const { token: key, hash } = makeOpaqueToken()
  return change(db, async (trx) => {
    const test = await locked(
      trx,
      trx
        .selectFrom('tag_tests')
        .select(['id', 'pixel_id', 'created_by', 'expires_at', 'key_hash'])
        .where('token_hash', '=', hashOpaqueToken(token)),
    ).executeTakeFirst()
    if (test === undefined || test.key_hash !== null || !isStillAhead(test.expires_at, TEST_LIFE_MS, now))
      throw noTest()
    if (test.created_by !== null) {
      const role = await trx
        .selectFrom('admin_roles')
        .select('user_id')
        .where('user_id', '=', test.created_by)
        .executeTakeFirst()
      if (role === undefined) throw noTest()
    }
    const pixel = await trx
      .selectFrom('tracking_pixels')
      .select(['name', 'delivery'])
      .where('id', '=', test.pixel_id)
      .where('is_active', '=', true)
      .executeTakeFirst()
    // The page asked for names the set whose policy it has: the tag must be the one of that policy.
    if (pixel === undefined) throw noTest()
    const { name, delivery } = pixel
    const member = findTested(tags, set, { pixelId: test.pixel_id, delivery })
    if (member === null) throw noTest()
    await trx
      .updateTable('tag_tests')
      .set({ key_hash: hash, key_until: new Date(now + TEST_LIFE_MS).toISOString() })
      .where('id', '=', test.id)
      .execute()
    const runs = delivery !== 'server'
    const modes = runs ? testModesOf(member) : []
    const testCalls = modes.map(({ call, args }) => ({ call, args: [...args] }))
    return { key, name, tag: member.pageTag, runs, testCalls, notice: noticeOf(runs, modes) }
  })
}

function noTest(): AppError {
  return new AppError(404, 'no_test', 'There is no such test')
}

/** Of the tag's vendors that have a test mode. */
type TestMode = NonNullable<Vendor['testMode']>

function testModesOf({ marks }: PreparedTag): TestMode[] {
  return marks.flatMap(({ id }) => vendorById(id)?.testMode ?? [])
}

/** No vendor promises to leave out a visit in its test mode, so none is promised here. */
function noticeOf(runs: boolean, testModes: readonly TestMode[]): string {
  if (!runs) return 'Nada da plataforma roda nesta página: o servidor envia a conversão de teste.'
  return [
    'A tag roda de verdade, e a plataforma pode contar esta visita.',
    ...testModes.map(({ shownIn }) => `Ela aparece em: ${shownIn}.`),
  ].join(' ')
}
