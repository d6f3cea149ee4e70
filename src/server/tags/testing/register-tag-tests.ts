import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { TEST_START_PATH, TEST_STEPS_PATH } from '#contract/tag-test.ts'
import { AppError } from '#server/http/app-error.ts'
import { clientAddress } from '#server/http/client-address.ts'
import { guardPublicPost, type PublicGuard } from '#server/http/guard-public-post.ts'
import { isPublicAddress } from '#server/http/is-public-address.ts'
import type { Logger } from '#server/http/logger.ts'
import { addSteps } from './add-steps.ts'
import { startTest } from './start-test.ts'
import { TestCopies } from './test-copies.ts'
import type { CopyTestEvent, TestDeps } from './test-deps.ts'
import { cleanStep, testStepsSchema } from './test-step-schema.ts'

const BODY_LIMIT_BYTES = 32_000
const MAX_AGENT_LENGTH = 500

const startSchema = z.object({
  token: z.string().check(z.maxLength(100)),
  set: z.string().check(z.maxLength(64)),
})

/** What the page under test calls. Nobody gets anything without the token of a link, or the key that it was traded for. */
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

  app.post(TEST_START_PATH, { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    guardPublicPost(deps.guard, request, 'tag-test')
    const parsed = startSchema.safeParse(request.body)
    if (!parsed.success) throw new AppError(400, 'bad_request', 'Not the start of a test')
    reply.header('cache-control', 'no-store')
    return startTest(deps, parsed.data)
  })

  app.post(TEST_STEPS_PATH, { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    guardPublicPost(deps.guard, request, 'tag-test')
    const parsed = testStepsSchema.safeParse(request.body)
    if (!parsed.success) throw new AppError(400, 'bad_request', 'Not steps of a test')
    const added = await addSteps(deps.db, { key: parsed.data.key, steps: parsed.data.steps.map(cleanStep) })
    const address = clientAddress(request)
    copies.begin(added, {
      address: isPublicAddress(address) ? address : null,
      agent: request.headers['user-agent']?.slice(0, MAX_AGENT_LENGTH) ?? null,
    })
    return reply.code(204).send()
  })
}
