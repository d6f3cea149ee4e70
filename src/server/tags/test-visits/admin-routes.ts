import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Selectable } from 'kysely'
import * as z from 'zod/mini'
import type { PixelDelivery } from '#contract/pixel.ts'
import { findPixelIdFault } from '#contract/pixel-id.ts'
import {
  type CreatedTest,
  type TagTest,
  TEST_FRAGMENT,
  TEST_LIFE_MS,
  TEST_QUERY,
  TESTS_KEPT,
  type TestState,
  type TestSummary,
  type TestVerdict,
} from '#contract/tag-test.ts'
import { recordAudit } from '#server/activity/trail.ts'
import type { Db } from '#server/db/database.ts'
import type { Schema } from '#server/db/schema/index.ts'
import { isUnexpired } from '#server/db/time.ts'
import { AppError } from '#server/http/errors.ts'
import {
  auditActor,
  type Caller,
  type ChangeAsCaller,
  pathId,
  readBody,
} from '#server/http/security/administrators.ts'
import { makeOpaqueToken } from '#server/secrets/tokens.ts'
import { UNKNOWN_VENDOR, vendorById } from '#server/vendors/marks.ts'
import { readBlockedHosts } from '../hosts/blocked-hosts.ts'
import { readTagsVersion } from '../serve/tag-version.ts'
import { findTested, type TestDeps } from './page-routes.ts'
import { countCopies, listCopies } from './server-events.ts'
import { judgeTest } from './verdict.ts'

const newTestSchema = z.object({
  test_event_code: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_-]{0,64}$/))),
})

/** Routes of "Testar agora" for the dashboard. */
export function registerTestAdmin(scope: FastifyInstance, deps: TestDeps): void {
  /** Creates a test visit and its one-time address. Body: `{ test_event_code? }`. */
  scope.post('/admin/api/pixels/:id/tests', async (request, reply): Promise<CreatedTest> => {
    const { test_event_code: testCode } = readBody(newTestSchema, request)
    const created = await createTest(deps, request.change, pathId(request), testCode)
    reply.code(201)
    return created
  })

  /** The test visits of a pixel. */
  scope.get('/admin/api/pixels/:id/tests', async (request): Promise<{ tests: TestSummary[] }> => {
    const { caller } = request
    return { tests: await readTests(deps, caller, pathId(request)) }
  })

  /** One test visit with its steps. */
  scope.get('/admin/api/pixels/:id/tests/:test', async (request): Promise<TagTest> => {
    const { caller } = request
    const test = z.uuid().safeParse((request.params as { test?: string }).test)
    if (!test.success) throw new AppError(404, 'not_found', 'Este teste não existe mais. Faça um novo.')
    return readTest(deps, caller, { pixelId: pathId(request), testId: test.data })
  })
}

/**
 * Creates a test of one pixel and the address that opens it once. Only a pixel on the page can be tested: the policy is
 * made for active tags, and the fragment never reaches the server that would have to widen it.
 */
async function createTest(
  { db, tags, siteUrl }: TestDeps,
  change: ChangeAsCaller,
  pixelId: string,
  /** Undefined: that of the caller's last test; empty: none. */
  testCode?: string | undefined,
  now = Date.now(),
): Promise<CreatedTest> {
  const pixel = await db
    .selectFrom('tracking_pixels')
    .select(['is_active', 'delivery'])
    .where('id', '=', pixelId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (pixel === undefined)
    throw new AppError(404, 'not_found', 'Este pixel não existe mais. Veja se ele está na lixeira.')
  if (!pixel.is_active)
    throw new AppError(
      409,
      'pixel_off',
      'Este pixel está inativo e não roda no site. Ative o pixel para testar.',
    )
  await tags.refreshIfNotAt(await readTagsVersion(db))
  if (findTested(tags, tags.current.version, { pixelId, delivery: pixel.delivery }) === null)
    throw new AppError(
      409,
      'not_on_page',
      'Esta tag não está no site agora. Veja o motivo no topo da página do pixel, corrija e teste novamente.',
    )
  const { token, hash } = makeOpaqueToken()
  const test = {
    id: randomUUID(),
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + TEST_LIFE_MS).toISOString(),
  }
  await change(db, async (trx, { actor_id, actor }) => {
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
  return {
    id: test.id,
    url: `${siteUrl}/?${TEST_QUERY}${TEST_FRAGMENT}${token}`,
    expires_at: test.expires_at,
  }
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

type Row = Selectable<Schema['tag_tests']>

type Deps = Pick<TestDeps, 'db' | 'tags'>

/** The last tests of a pixel, by all people, without steps. */
async function readTests(
  deps: Deps,
  caller: Caller,
  pixelId: string,
  now = Date.now(),
): Promise<TestSummary[]> {
  const rows = await deps.db
    .selectFrom('tag_tests')
    .selectAll()
    .where('pixel_id', '=', pixelId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(TESTS_KEPT)
    .execute()
  const delivery = await readDelivery(deps, pixelId)
  return Promise.all(
    rows.map(async (row) => summarise({ row, delivery }, caller, await subjectOf(deps, row), now)),
  )
}

/** One test with its steps, only for the person who made it. */
async function readTest(
  deps: Deps,
  caller: Caller,
  { pixelId, testId }: { pixelId: string; testId: string },
  now = Date.now(),
): Promise<TagTest> {
  const row = await deps.db
    .selectFrom('tag_tests')
    .selectAll()
    .where('id', '=', testId)
    .where('pixel_id', '=', pixelId)
    .executeTakeFirst()
  if (row === undefined)
    throw new AppError(404, 'not_found', 'Este teste não existe mais: guardamos só os 5 últimos.')
  if (!isMine(row, caller))
    throw new AppError(403, 'not_yours', 'Só quem fez este teste vê os passos. Para ver, faça um novo teste.')
  const delivery = await readDelivery(deps, pixelId)
  const summary = summarise({ row, delivery }, caller, await subjectOf(deps, row), now)
  const { expires_at, steps } = row
  return { ...summary, expires_at, steps, delivery, awaits_copies: awaitsCopies(row, delivery, now) }
}

async function readDelivery({ db }: Deps, pixelId: string): Promise<PixelDelivery> {
  const pixel = await db
    .selectFrom('tracking_pixels')
    .select('delivery')
    .where('id', '=', pixelId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return pixel?.delivery ?? 'browser'
}

/** An answer that a killed process was waiting for never arrives: waiting ends with the key. */
function awaitsCopies({ key_until, steps }: Row, delivery: PixelDelivery, now: number): boolean {
  if (key_until === null || !isUnexpired(key_until, TEST_LIFE_MS, now)) return false
  return listCopies(delivery, steps).length > countCopies(steps)
}

function isMine({ created_by, creator }: Row, caller: Caller): boolean {
  const { actor_id, actor } = auditActor(caller)
  return created_by === actor_id && (actor_id !== null || creator === actor)
}

type Subject = Parameters<typeof judgeTest>[0]['subject']

function summarise(
  { row, delivery }: { row: Row; delivery: PixelDelivery },
  caller: Caller,
  subject: Subject,
  now: number,
): TestSummary {
  const state = stateOf(row, now)
  return {
    id: row.id,
    created_at: row.created_at,
    by: row.creator,
    is_mine: isMine(row, caller),
    state,
    verdict: inCapitals(
      judgeTest({
        state,
        steps: row.steps,
        subject,
        delivery,
        awaitsCopies: awaitsCopies(row, delivery, now),
      }),
    ),
  }
}

function stateOf({ key_until, expires_at, steps }: Row, now: number): TestState {
  if (key_until === null) return isUnexpired(expires_at, TEST_LIFE_MS, now) ? 'waiting' : 'expired'
  const isRefused = steps.some(({ kind, ok }) => kind === 'chosen' && ok === false)
  if (isRefused || steps.some(({ kind }) => kind === 'settled')) return 'done'
  // An answer to the server may arrive after it.
  const hasLeft = steps.findLast(({ kind }) => kind !== 'copy')?.kind === 'left'
  return hasLeft || !isUnexpired(key_until, TEST_LIFE_MS, now) ? 'left' : 'open'
}

/** What the verdict's text needs to know of the pixel, and what one click could permit. */
async function subjectOf({ db, tags }: Deps, { pixel_id, steps }: Row): Promise<Subject> {
  const prepared = tags.prepared.get(pixel_id)
  const vendor = vendorById(prepared?.marks[0]?.id ?? '')
  const hasStopped = steps.some(({ kind, host }) => kind === 'stopped' && host !== undefined)
  return {
    vendorName: vendor?.name ?? UNKNOWN_VENDOR,
    visibleId: prepared?.tag.hit?.id ?? null,
    hasPageView: prepared?.tag.hit !== undefined,
    idFault:
      prepared === undefined
        ? null
        : (findPixelIdFault(prepared.tag.type, prepared.tag.vendorId)?.message ?? null),
    blocked: hasStopped
      ? (await readBlockedHosts(db, tags)).filter(({ pixel_ids }) => pixel_ids.includes(pixel_id))
      : [],
  }
}

/** A name in lower case may begin a sentence. */
function inCapitals(verdict: TestVerdict): TestVerdict {
  const begin = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
  return { ...verdict, title: begin(verdict.title), text: begin(verdict.text) }
}
