import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { NewRecoveryCodes, OwnLogins, RecoveryCodesLeft } from '#contract/accounts.ts'
import { isUuid } from '#contract/uuid.ts'
import { guardApi } from '#server/http/api-guard.ts'
import { AppError } from '#server/http/app-error.ts'
import { requireApiKey } from '../access/require-api-key.ts'
import { requireUser } from '../access/require-user.ts'
import type { AuthContext } from '../auth-context.ts'
import { readBody, text } from '../protocol/read-body.ts'
import { countRecoveryCodes } from '../second-factors/count-recovery-codes.ts'
import { showSecondStep } from '../second-factors/factor-limits.ts'
import { replaceRecoveryCodes, requireFactorToReplace } from '../second-factors/replace-recovery-codes.ts'
import { requireSecondFactor } from '../second-factors/second-factor.ts'
import { spendRecoveryCode } from '../second-factors/spend-recovery-code.ts'
import { endLogin } from '../sessions/end-sessions.ts'
import { changeAccount } from '../users/change-account.ts'
import { listLogins } from './list-logins.ts'

const codeBody = z.object({ code: text })

/** What a person may do with their own account and the auth protocol has no place for, under `/admin/api`. */
export async function registerAccount(app: FastifyInstance, context: AuthContext): Promise<void> {
  const { db } = context
  await app.register(
    async (scope) => {
      guardApi(scope, { origins: context.origins })
      requireApiKey(scope, context)

      scope.get('/logins', async (request): Promise<OwnLogins> => {
        const account = await requireUser(context, request)
        requireSecondFactor(account, 'own_account')
        return { logins: await listLogins(db, account.session) }
      })

      /** "Encerrar": one browser with all its tabs, or one program's session. */
      scope.delete('/logins/:id', async (request, reply) => {
        const { who } = await requireUser(context, request)
        const id = readId(request)
        await changeAccount(db, who, {
          check: (account) => requireSecondFactor(account, 'own_account'),
          write: async (account) => {
            if (!(await endLogin(account, id)))
              throw new AppError(404, 'not_found', 'Esta sessão já foi encerrada.')
            await account.audit('auth.login_ended', { subject: id })
          },
        })
        return reply.code(204).send()
      })

      scope.get('/recovery-codes', async (request): Promise<RecoveryCodesLeft> => {
        const account = await requireUser(context, request)
        requireSecondFactor(account, 'own_account')
        return { left: await countRecoveryCodes(db, account.user.id) }
      })

      scope.post('/recovery-codes', async (request): Promise<NewRecoveryCodes> => {
        const { who } = await requireUser(context, request)
        return { codes: await replaceRecoveryCodes(context, who) }
      })

      scope.post('/recovery-codes/use', async (request, reply): Promise<RecoveryCodesLeft> => {
        const { code } = readBody(codeBody, request)
        const account = await requireUser(context, request)
        requireFactorToReplace(account)
        const spend = () => spendRecoveryCode(context, account.who, code)
        return { left: await showSecondStep(context, { request, reply, ...account }, spend) }
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
