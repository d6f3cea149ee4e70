import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { NewRecoveryCodes, OwnLogin, OwnLogins, RecoveryCodesLeft } from '#contract/accounts.ts'
import { isUuid } from '#contract/uuid.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/errors.ts'
import { requestPerson } from '#server/http/security/administrators.ts'
import { changeAccount } from '../accounts/change-account.ts'
import type { SessionRow } from '../accounts/users.ts'
import { type OwnAccount, readSessionAccount } from '../caller.ts'
import type { AuthContext } from '../context.ts'
import {
  countRecoveryCodes,
  replaceRecoveryCodes,
  requireFactorToReplace,
  spendRecoveryCode,
} from '../factors/recovery-codes.ts'
import { requireSecondFactor, showSecondStep } from '../factors/second-factor.ts'
import { readBody, text } from '../protocol.ts'
import { endLogin, isLoginAlive } from '../sessions/revoke.ts'

const codeBody = z.object({ code: text })

/** Routes for one's own account that have no place in the auth protocol. */
export function registerOwnAccount(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context

  /** The browsers and programs in which the caller is signed in. */
  scope.get('/admin/api/logins', async (request): Promise<OwnLogins> => {
    const { session } = await readOwnAccount(context, request)
    return { logins: await listLogins(db, session) }
  })

  /** Signs out one browser with all its tabs, or one program. */
  scope.delete('/admin/api/logins/:id', async (request, reply) => {
    const { who } = await readOwnAccount(context, request)
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

  /** How many recovery codes the caller has left. */
  scope.get('/admin/api/recovery-codes', async (request): Promise<RecoveryCodesLeft> => {
    return { left: await countRecoveryCodes(db, requestPerson(request).userId) }
  })

  /** Replaces the recovery codes. They are shown this once. */
  scope.post('/admin/api/recovery-codes', async (request): Promise<NewRecoveryCodes> => {
    const { who } = await readOwnAccount(context, request)
    return { codes: await replaceRecoveryCodes(context, who) }
  })

  /** Uses a recovery code instead of the second factor. Body: `{ code }`. */
  scope.post('/admin/api/recovery-codes/use', async (request, reply): Promise<RecoveryCodesLeft> => {
    const { code } = readBody(codeBody, request)
    const account = await readOwnAccount(context, request)
    requireFactorToReplace(account)
    const spend = () => spendRecoveryCode(context, account.who, code)
    return { left: await showSecondStep(context, { request, reply, ...account }, spend) }
  })
}

function readOwnAccount(context: AuthContext, request: FastifyRequest): Promise<OwnAccount> {
  const { userId, sessionId } = requestPerson(request)
  return readSessionAccount(context, request, { userId, sessionId })
}

function readId(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (!isUuid(id)) throw new AppError(404, 'not_found', 'Esta sessão já foi encerrada.')
  return id.toLowerCase()
}

/** Where a person is signed in: browsers, and programs with their own session, most recent use first. */
async function listLogins(db: Db, own: SessionRow, now = Date.now()): Promise<OwnLogin[]> {
  const logins = await db
    .selectFrom('auth_logins')
    .select(['id', 'user_agent', 'network as address', 'created_at', 'last_used_at'])
    .where('user_id', '=', own.user_id)
    .select('expires_at')
    .execute()
  const sessions = await db
    .selectFrom('auth_sessions')
    .select(['id', 'user_agent', 'network as address', 'created_at', 'last_used_at'])
    .where('user_id', '=', own.user_id)
    .where('login_id', 'is', null)
    .execute()
  const alive = logins
    .filter((login) => isLoginAlive(login, now))
    .map(({ expires_at: _end, ...login }) => login)
  return [...alive, ...sessions]
    .map((row) => ({ ...row, current: row.id === own.login_id || row.id === own.id }))
    .sort((a, b) => Number(b.current) - Number(a.current) || b.last_used_at.localeCompare(a.last_used_at))
}
