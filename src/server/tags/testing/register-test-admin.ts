import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { CreatedTest, TagTest, TestSummary } from '#contract/tag-test.ts'
import { type AdminAccess, pathId, readBody, requireAdministrator } from '#server/http/admin-request.ts'
import { guardApi } from '#server/http/api-guard.ts'
import { AppError } from '#server/http/app-error.ts'
import { createTest } from './create-test.ts'
import { readTest, readTests } from './read-tests.ts'
import type { TestDeps } from './test-deps.ts'

type TestAdminDeps = TestDeps & AdminAccess

const newTestSchema = z.object({
  test_event_code: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_-]{0,64}$/))),
})

/** The dashboard's side of "Testar agora". */
export async function registerTestAdmin(app: FastifyInstance, deps: TestAdminDeps): Promise<void> {
  await app.register(async (scope) => {
    guardApi(scope, { origins: deps.origins })

    scope.post('/admin/api/pixels/:id/tests', async (request, reply): Promise<CreatedTest> => {
      const caller = await requireAdministrator(deps, request)
      const { test_event_code: testCode } = readBody(newTestSchema, request)
      const created = await createTest(deps, caller, pathId(request), testCode)
      reply.code(201)
      return created
    })

    scope.get('/admin/api/pixels/:id/tests', async (request): Promise<{ tests: TestSummary[] }> => {
      const caller = await requireAdministrator(deps, request)
      return { tests: await readTests(deps, caller, pathId(request)) }
    })

    scope.get('/admin/api/pixels/:id/tests/:test', async (request): Promise<TagTest> => {
      const caller = await requireAdministrator(deps, request)
      const test = z.uuid().safeParse((request.params as { test?: string }).test)
      if (!test.success) throw new AppError(404, 'not_found', 'Teste não encontrado.')
      return readTest(deps, caller, { pixelId: pathId(request), testId: test.data })
    })
  })
}
