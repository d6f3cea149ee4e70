import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { flag, readBody } from '#server/auth/protocol/read-body.ts'
import { auditedUser } from '#server/auth/users/audit-user.ts'
import { changeAccount, type LockedAccount, SERVICE_ACTOR } from '#server/auth/users/change-account.ts'
import { deleteRole } from '#server/auth/users/grant-role.ts'
import { refuseRemovalOfPrincipal } from '#server/auth/users/rules.ts'
import { readTargetId } from './find-target.ts'

const body = z.object({ should_soft_delete: flag })

export function registerDeleteUser(scope: FastifyInstance, context: AuthContext): void {
  scope.delete('/:id', async (request) => {
    const { should_soft_delete: soft } = readBody(body, request)
    await changeAccount(
      context.db,
      { userId: readTargetId(request), by: SERVICE_ACTOR },
      {
        check: ({ user }) => refuseRemovalOfPrincipal(context.config, user.email),
        write: async (account) => {
          // Softly deleted already: there is nothing left to take.
          if (soft && account.user.deleted_at !== null) return
          await account.audit(soft ? 'user.soft_deleted' : 'user.deleted', {
            before: auditedUser(account.user),
          })
          if (soft) await hide(account)
          else await account.delete()
        },
      },
    )
    return {}
  })
}

/** The row stays for what points at it; the person, and every way in, is gone from it. */
async function hide(account: LockedAccount): Promise<void> {
  const { id, email } = account.user
  const now = new Date().toISOString()
  const digest = createHash('sha256').update(`${id}${email}`).digest('hex').slice(0, 32)
  await account.update({
    email: `${digest}@deleted.invalid`,
    password_hash: null,
    new_email: null,
    user_metadata: '{}',
    deleted_at: now,
    updated_at: now,
  })
  await deleteRole(account)
  await account.revoke('handed_over')
}
