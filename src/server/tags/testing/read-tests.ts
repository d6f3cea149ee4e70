import type { Selectable } from 'kysely'
import type { PixelDelivery } from '#contract/pixel.ts'
import { findPixelIdFault } from '#contract/pixel-id.ts'
import {
  type TagTest,
  TEST_LIFE_MS,
  TESTS_KEPT,
  type TestState,
  type TestSummary,
  type TestVerdict,
} from '#contract/tag-test.ts'
import type { Schema } from '#server/db/schema.ts'
import { isStillAhead } from '#server/db/stored-time.ts'
import { AppError } from '#server/http/app-error.ts'
import { auditActor, type Caller } from '#server/http/caller.ts'
import { UNKNOWN_VENDOR, vendorById } from '#server/vendors/marks.ts'
import { readBlockedHosts } from '../hosts/read-blocked-hosts.ts'
import { judgeTest } from './judge-test.ts'
import { countCopies, listCopies } from './list-copies.ts'
import type { TestDeps } from './test-deps.ts'

type Row = Selectable<Schema['tag_tests']>
type Deps = Pick<TestDeps, 'db' | 'tags'>

/** The last tests of a pixel, whoever made them: what they showed, without their steps. */
export async function readTests(
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

/** One test with its steps, for nobody but whoever made it. */
export async function readTest(
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
    throw new AppError(404, 'not_found', 'Este teste não existe mais: ficam guardados os cinco últimos.')
  if (!isMine(row, caller))
    throw new AppError(403, 'not_yours', 'Só quem fez este teste vê os passos. Faça o seu.')
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

/** An answer that a killed process was waiting for never comes: with the key, the waiting ends. */
function awaitsCopies({ key_until, steps }: Row, delivery: PixelDelivery, now: number): boolean {
  if (key_until === null || !isStillAhead(key_until, TEST_LIFE_MS, now)) return false
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
  if (key_until === null) return isStillAhead(expires_at, TEST_LIFE_MS, now) ? 'waiting' : 'expired'
  const isRefused = steps.some(({ kind, ok }) => kind === 'chosen' && ok === false)
  if (isRefused || steps.some(({ kind }) => kind === 'settled')) return 'done'
  // An answer to the server may come after it.
  const hasLeft = steps.findLast(({ kind }) => kind !== 'copy')?.kind === 'left'
  return hasLeft || !isStillAhead(key_until, TEST_LIFE_MS, now) ? 'left' : 'open'
}

/** What the words of a verdict need to know of the pixel, and what one click could permit. */
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

/** A name that takes no capital may begin a sentence. */
function inCapitals(verdict: TestVerdict): TestVerdict {
  const begin = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
  return { ...verdict, title: begin(verdict.title), text: begin(verdict.text) }
}
