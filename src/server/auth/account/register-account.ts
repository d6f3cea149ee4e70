import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { NewRecoveryCodes, OwnLogins, RecoveryCodesLeft } from '#contract/account.ts'
import { isUuid } from '#contract/uuid.ts'
import { guardApi } from '#server/http/api-guard.ts'
import { AppError } from '#server/http/app-error.ts'
import { requireApiKey } from '../access/require-api-key.ts'
import type { AuthContext } from '../auth-context.ts'
import { readBody, text } from '../protocol/read-body.ts'
import { countRecoveryCodes } from '../second-factors/count-recovery-codes.ts'
import { showSecondStep } from '../second-factors/factor-limits.ts'
import { replaceRecoveryCodes } from '../second-factors/replace-recovery-codes.ts'
import { spendRecoveryCode } from '../second-factors/spend-recovery-code.ts'
import { endOwnLogin } from './end-own-login.ts'
import { listLogins } from './list-logins.ts'
import { requireAccount, requireProvedAccount } from './require-account.ts'

const codeBody = z.object({ code: text })

/** What a person may do with their own account and the auth protocol has no place for, under `/admin/api`. */
export async function registerAccount(app: FastifyInstance, context: AuthContext): Promise<void> {
  const { db } = context
  await app.register(
    async (scope) => {
      guardApi(scope, { origins: context.origins })
      requireApiKey(scope, context)

      scope.get('/logins', async (request): Promise<OwnLogins> => {
        const { session } = await requireProvedAccount(context, request)
        return { logins: await listLogins(db, session) }
      })

      scope.delete('/logins/:id', async (request, reply) => {
        const { user } = await requireProvedAccount(context, request)
        await endOwnLogin(db, user, readId(request))
        return reply.code(204).send()
      })

      scope.get('/recovery-codes', async (request): Promise<RecoveryCodesLeft> => {
        const { user } = await requireProvedAccount(context, request)
        return { left: await countRecoveryCodes(db, user.id) }
      })

      scope.post('/recovery-codes', async (request): Promise<NewRecoveryCodes> => {
        const { user, hasSecondFactor } = await requireProvedAccount(context, request)
        if (!hasSecondFactor)
          throw new AppError(422, 'mfa_factor_not_found', 'Recovery codes stand in for a second factor')
        return { codes: await replaceRecoveryCodes(context, user) }
      })

      scope.post('/recovery-codes/use', async (request, reply): Promise<RecoveryCodesLeft> => {
        const { code } = readBody(codeBody, request)
        const { user, session, hasSecondFactor } = await requireAccount(context, request)
        if (!hasSecondFactor)
          throw new AppError(422, 'mfa_factor_not_found', 'Recovery codes stand in for a second factor')
        const spend = () => spendRecoveryCode(context, user, session, code)
        return { left: await showSecondStep(context, { request, reply, user, session }, spend) }
      })
    },
    { prefix: '/admin/api' },
  )
}

function readId(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (!isUuid(id)) throw new AppError(404, 'not_found', 'Esta sessão já foi encerrada.')
  return id.toLowerCase()
}
