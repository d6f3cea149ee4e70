import Fastify, {
  type FastifyInstance,
  type FastifyRequest,
  type InjectOptions,
  type LightMyRequestResponse,
} from 'fastify'
import { adminUsers } from '#server/auth/accounts/admin-users.ts'
import { ensurePrincipal } from '#server/auth/accounts/principal.ts'
import { createAuth } from '#server/auth/auth.ts'
import { parseConfig } from '#server/config.ts'
import { registerData } from '#server/data/data-service.ts'
import { runSweeps } from '#server/db/sweep.ts'
import { AppError } from '#server/http/errors.ts'
import { type Caller, registerAdminApi } from '#server/http/security/administrators.ts'
import { registerPixelVersions } from '#server/pixels/history.ts'
import { trackingPixels } from '#server/pixels/tracking-pixels.ts'
import { TagCompiler } from '#server/tags/compile/compiler.ts'
import { PixelReview } from '#server/tags/compile/review-pixels.ts'
import { type EngineName, makeDatabase, type TestDatabase } from './engines.ts'
import { QUICK_WORK } from './quick-work.ts'

export const PRINCIPAL_EMAIL = 'principal@exemplo.com.br'
/** Ids of the callers who are people; whether they have an account is up to the test. */
export const OWN_ID = '00000000-0000-4000-8000-000000000001'
export const OWN_SESSION = '00000000-0000-4000-8000-0000000000aa'

const person = (change: Partial<Extract<Caller, { kind: 'user' }>>): Caller => ({
  kind: 'user',
  userId: OWN_ID,
  email: 'ana@exemplo.com.br',
  sessionId: OWN_SESSION,
  role: 'admin',
  aal: 'aal1',
  needsSecondFactor: false,
  ...change,
})

/** All kinds of callers, by the name in a scenario. */
const CALLERS = {
  guest: { kind: 'guest' },
  anon: { kind: 'anon' },
  stranger: person({ role: null }),
  halfway: person({ needsSecondFactor: true }),
  admin: person({}),
  superAdmin: person({ role: 'super_admin' }),
  service: { kind: 'service' },
} satisfies Record<string, Caller>

export type CallerName = keyof typeof CALLERS

export interface DataApp {
  app: FastifyInstance
  database: TestDatabase
  /** How often the landing page was updated. */
  changes(): number
  call(options: InjectOptions & { as?: CallerName }): Promise<LightMyRequestResponse>
  close(): Promise<void>
}

/** The data service alone, in process, with the caller set by the test instead of a token. */
export async function startDataApp(engine: EngineName): Promise<DataApp> {
  const database = await makeDatabase(engine)
  const config = parseConfig({
    PRINCIPAL_ADMIN_EMAIL: PRINCIPAL_EMAIL,
    PRINCIPAL_ADMIN_PASSWORD: 'ponte-lilas-grafite-58',
  })
  const auth = await createAuth(config, database.db, database.secrets, QUICK_WORK)
  await ensurePrincipal(auth.context)
  const app = Fastify()
  runSweeps(app, database.db)
  const compiler = new TagCompiler()
  let changes = 0
  const pixels = trackingPixels(
    {
      review: () => new PixelReview({ compiler, ownHosts: new Set(), measureHead: () => 0 }),
      afterChange: async () => {
        changes++
      },
    },
    database.secrets,
  )
  const access = {
    origins: ['http://localhost:3000'],
    exceptions: {},
    callers: {
      resolve: async (request: FastifyRequest) => {
        const name = String(request.headers['x-test-caller'])
        if (name === 'expired') throw new AppError(401, 'jwt_expired', 'JWT expired')
        return CALLERS[name as CallerName]
      },
      recheck: async (_trx: unknown, caller: Caller) => caller,
    },
  }
  const service = await registerData(app, {
    ...access,
    db: database.db,
    resources: [pixels, adminUsers(auth.accounts, PRINCIPAL_EMAIL)],
  })
  await registerAdminApi(app, access, [(scope) => registerPixelVersions(scope, { service, pixels })])
  return {
    app,
    database,
    changes: () => changes,
    call: ({ as = 'admin', headers = {}, ...options }) =>
      app.inject({ ...options, headers: { 'x-test-caller': as, ...headers } }),
    close: async () => {
      await app.close()
      await compiler.close()
      await database.close()
    },
  }
}
