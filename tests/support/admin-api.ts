import type { FastifyInstance } from 'fastify'
import { ADMIN_API_EXCEPTIONS, type Caller, registerAdminApi } from '#server/http/security/administrators.ts'

interface AdminApiPart {
  /** Called for every request, instead of resolving a key and a token. */
  caller: () => Caller
  register: (scope: FastifyInstance) => void
  /** Only exceptions of routes whose address contains this are registered. */
  exceptions?: string
  origin?: string
}

/** The scope of `/admin/api` with the routes of one module. */
export async function registerAdminApiPart(
  app: FastifyInstance,
  { caller, register, exceptions = 'none', origin = 'https://portico.example' }: AdminApiPart,
): Promise<void> {
  const options = {
    callers: { resolve: async () => caller(), recheck: async (_trx: unknown, known: Caller) => known },
    origins: [origin],
    exceptions: Object.fromEntries(
      Object.entries(ADMIN_API_EXCEPTIONS).filter(([route]) => route.includes(exceptions)),
    ),
  }
  await registerAdminApi(app, options, [register])
}
