import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { CONVERSIONS } from '#contract/conversions.ts'
import type { PixelDelivery } from '#contract/pixel.ts'
import { parsePublicHost } from '#contract/public-host.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import { TAG_VERDICTS } from '#contract/tag-report.ts'
import {
  type StartedTest,
  TEST_LIFE_MS,
  TEST_MAX_STEPS,
  TEST_MAX_STEPS_AT_ONCE,
  TEST_START_PATH,
  TEST_STEP_KINDS,
  TEST_STEPS_PATH,
  TEST_TEXT_MAX_LENGTH,
  type TestCopy,
  type TestStep,
} from '#contract/tag-test.ts'
import { selectAdministrators } from '#server/auth/accounts/users.ts'
import { describeVisitor } from '#server/conversions/post-event.ts'
import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/dialect.ts'
import { isUnexpired } from '#server/db/time.ts'
import { change } from '#server/db/transactions/change.ts'
import { AppError } from '#server/http/errors.ts'
import { BODY_BYTES } from '#server/http/limits/limits.ts'
import { guardPublicPost, type PublicGuard } from '#server/http/limits/public.ts'
import type { Logger } from '#server/http/logging/logger.ts'
import { hashOpaqueToken, makeOpaqueToken } from '#server/secrets/tokens.ts'
import { vendorById } from '#server/vendors/marks.ts'
import type { Vendor } from '#server/vendors/vendor.ts'
import type { PreparedTag } from '../serve/prepare-tag.ts'
import type { TagStore } from '../serve/tag-store.ts'
import { readTagsVersion } from '../serve/tag-version.ts'
import { type DueCopy, listCopies, TestCopies } from './server-events.ts'

const startSchema = z.object({
  token: z.string().check(z.maxLength(100)),
  set: z.string().check(z.maxLength(64)),
})

/** Routes for the page under test. They require the token of a link, or the key it was exchanged for. */
export function registerTagTests(
  app: FastifyInstance,
  deps: Pick<TestDeps, 'db' | 'tags'> & {
    guard: PublicGuard
    log: Pick<Logger, 'warn'>
    copyTestEvent: CopyTestEvent
  },
): void {
  const copies = new TestCopies(deps)
  app.addHook('onClose', () => copies.stop())

  app.post(TEST_START_PATH, { bodyLimit: BODY_BYTES.tagTest }, async (request, reply) => {
    guardPublicPost(deps.guard, request, 'tag-test')
    const parsed = startSchema.safeParse(request.body)
    if (!parsed.success) throw new AppError(400, 'bad_request', 'Not the start of a test')
    reply.header('cache-control', 'no-store')
    return startTest(deps, parsed.data)
  })

  app.post(TEST_STEPS_PATH, { bodyLimit: BODY_BYTES.tagTest }, async (request, reply) => {
    guardPublicPost(deps.guard, request, 'tag-test')
    const parsed = testStepsSchema.safeParse(request.body)
    if (!parsed.success) throw new AppError(400, 'bad_request', 'Not steps of a test')
    const added = await addSteps(deps.db, { key: parsed.data.key, steps: parsed.data.steps.map(cleanStep) })
    copies.begin(added, describeVisitor(request))
    return reply.code(204).send()
  })
}

/**
 * Exchanges the token of a link for the key of one page's reports. A used, late or unknown token, or one of a former
 * administrator, gets the same answer.
 */
async function startTest(
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
    if (test === undefined || test.key_hash !== null || !isUnexpired(test.expires_at, TEST_LIFE_MS, now))
      throw noTest()
    if (test.created_by !== null) {
      const creator = await selectAdministrators(trx, now)
        .select('auth_users.id')
        .where('auth_users.id', '=', test.created_by)
        .executeTakeFirst()
      if (creator === undefined) throw noTest()
    }
    const pixel = await trx
      .selectFrom('tracking_pixels')
      .select(['name', 'delivery'])
      .where('id', '=', test.pixel_id)
      .where('is_active', '=', true)
      .executeTakeFirst()
    // The page names the set whose policy it has: the tag must be in that set.
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

/** Test modes of the tag's vendors. */
type TestMode = NonNullable<Vendor['testMode']>

function testModesOf({ marks }: PreparedTag): TestMode[] {
  return marks.flatMap(({ id }) => vendorById(id)?.testMode ?? [])
}

/** No vendor promises to ignore a visit in its test mode, so the notice does not either. */
function noticeOf(runs: boolean, testModes: readonly TestMode[]): string {
  if (!runs) return 'Nada da plataforma roda nesta página: o servidor envia a conversão de teste.'
  return [
    'A tag roda de verdade, e a plataforma pode contar esta visita.',
    ...testModes.map(({ shownIn }) => `Ela aparece em: ${shownIn}.`),
  ].join(' ')
}

export interface AddedSteps {
  testId: string
  pixelId: string
  testCode: string | undefined
  /** Events that the server has to send because of these steps. */
  copies: DueCopy[]
}

/** Adds steps in the order in which they arrive, up to a limit. */
async function addSteps(
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
    if (test?.key_until == null || !isUnexpired(test.key_until, TEST_LIFE_MS, now))
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

const stepSchema = z.object({
  kind: z.enum(TEST_STEP_KINDS),
  at: z.number().check(z.minimum(0), z.maximum(TEST_LIFE_MS * 2)),
  ok: z.optional(z.boolean()),
  host: z.optional(z.string().check(z.maxLength(253))),
  verdict: z.optional(z.enum(TAG_VERDICTS)),
  status: z.optional(z.int().check(z.minimum(100), z.maximum(599))),
  conversion: z.optional(z.enum(CONVERSIONS)),
  id: z.optional(z.uuid()),
  text: z.optional(z.string().check(z.maxLength(2_000))),
})

/** Body of a report of the page under test. */
const testStepsSchema = z.object({
  key: z.string().check(z.maxLength(100)),
  steps: z.array(stepSchema).check(z.maxLength(TEST_MAX_STEPS_AT_ONCE)),
})

/** The stored form: a host is a public name or null, a text is short and one line. */
function cleanStep({ host, text, at, ...step }: z.output<typeof stepSchema>): TestStep {
  const name = host === undefined ? null : parsePublicHost(host)
  const line = text
    ?.replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, TEST_TEXT_MAX_LENGTH)
  return {
    ...withoutUndefined(step),
    at: Math.round(at),
    ...(name === null ? {} : { host: name }),
    ...(line ? { text: line } : {}),
  } as TestStep
}

function withoutUndefined(step: object): object {
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== undefined))
}

/**
 * The tag of a pixel in the set of the page. A pixel sent by the server only has just its category there: it is enough
 * that the page has a set and asks. Null if there is nothing to test.
 */
export function findTested(
  tags: TagStore,
  set: string | null,
  { pixelId, delivery }: { pixelId: string; delivery: PixelDelivery },
): PreparedTag | null {
  const served = tags.recent.find(({ version }) => version !== null && version === set)
  if (delivery !== 'server') return served?.members.find(({ tag }) => tag.id === pixelId) ?? null
  const prepared = tags.prepared.get(pixelId)
  const isAsked = prepared !== undefined && served?.categories.includes(prepared.tag.category) === true
  return isAsked && prepared.isSentByServer ? prepared : null
}

export interface TestDeps {
  db: Db
  tags: TagStore
  /** Where visitors open the site. */
  siteUrl: string
}

/** An action on the page under test, as the server sends it to the vendor. */
export interface CopiedEvent {
  event: ServerEventName
  eventId: string
  testCode: string | undefined
  agent: string | null
  address: string | null
}

/** Sends to the vendor of a pixel in its test mode. */
export type CopyTestEvent = (pixelId: string, event: CopiedEvent) => Promise<Omit<TestCopy, 'event'>>
