import { randomUUID } from 'node:crypto'
import { type CreatedTest, TEST_FRAGMENT, TEST_LIFE_MS, TESTS_KEPT } from '#contract/tag-test.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { readTagsVersion } from '#server/db/changes.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/app-error.ts'
import { auditActor, type Caller } from '#server/http/caller.ts'
import { makeOpaqueToken } from '#server/http/opaque-token.ts'
import { findTested } from './find-tested.ts'
import type { TestDeps } from './test-deps.ts'

/**
 * A test of one pixel, and the address that opens it once. Only what is on the page can be tested: the page's policy is
 * made for the tags that run on it, and a fragment never reaches the server that would have to widen it.
 */
export async function createTest(
  { db, tags, siteUrl }: TestDeps,
  caller: Caller,
  pixelId: string,
  /** Undefined: that of the caller's last test of it; empty: none. */
  testCode?: string | undefined,
  now = Date.now(),
): Promise<CreatedTest> {
  const pixel = await db
    .selectFrom('tracking_pixels')
    .select(['is_active', 'delivery'])
    .where('id', '=', pixelId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (pixel === undefined) throw new AppError(404, 'not_found', 'Pixel não encontrado.')
  if (!pixel.is_active)
    throw new AppError(409, 'pixel_off', 'Ative o pixel para testar: desligado, ele não está na página.')
  await tags.refreshIfNotAt(await readTagsVersion(db))
  if (findTested(tags, tags.current.version, { pixelId, delivery: pixel.delivery }) === null)
    throw new AppError(
      409,
      'not_on_page',
      'Esta tag não está rodando na página, e a saúde dela diz por quê. Resolva isso e teste de novo.',
    )
  const { token, hash } = makeOpaqueToken()
  const { actor_id, actor } = auditActor(caller)
  const test = {
    id: randomUUID(),
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + TEST_LIFE_MS).toISOString(),
  }
  await change(db, async (trx) => {
    await trx
      .insertInto('tag_tests')
      .values({
        ...test,
        pixel_id: pixelId,
        created_by: actor_id,
        creator: actor,
        token_hash: hash,
        key_hash: null,
        key_until: null,
        test_code: testCode ?? (await lastCode(trx, pixelId, actor_id)),
        steps: '[]',
      })
      .execute()
    await deleteOlder(trx, pixelId)
    await recordAudit(trx, { actor_id, actor, action: 'tags.test', subject: pixelId }, new Date(now))
  })
  return { id: test.id, url: `${siteUrl}/${TEST_FRAGMENT}${token}`, expires_at: test.expires_at }
}

async function lastCode(trx: Db, pixelId: string, actorId: string | null): Promise<string | null> {
  const last = await trx
    .selectFrom('tag_tests')
    .select('test_code')
    .where('pixel_id', '=', pixelId)
    .where('created_by', actorId === null ? 'is' : '=', actorId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.test_code ?? null
}

async function deleteOlder(trx: Db, pixelId: string): Promise<void> {
  const kept = await trx
    .selectFrom('tag_tests')
    .select('id')
    .where('pixel_id', '=', pixelId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(TESTS_KEPT)
    .execute()
  await trx
    .deleteFrom('tag_tests')
    .where('pixel_id', '=', pixelId)
    .where(
      'id',
      'not in',
      kept.map(({ id }) => id),
    )
    .execute()
}
