import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { refuseRemovalOfPrincipal } from '#server/auth/principal/refuse-on-principal.ts'
import { authError } from '#server/auth/protocol/auth-error.ts'
import { flag, readBody } from '#server/auth/protocol/read-body.ts'
import { auditedUser } from '#server/auth/users/audit-user.ts'
import { closeEveryWayIn } from '#server/auth/users/close-every-way-in.ts'
import type { UserRow } from '#server/auth/users/user-object.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/locked.ts'
import { findTarget, SERVICE_ACTOR } from './find-target.ts'

const body = z.object({ should_soft_delete: flag })

export function registerDeleteUser(scope: FastifyInstance, context: AuthContext): void {
  scope.delete('/:id', async (request) => {
    const { should_soft_delete: soft } = readBody(body, request)
    const user = await findTarget(context, request)
    refuseRemovalOfPrincipal(context.config, user.email)
    await change(context.db, async (trx) => {
      // Of several at once, one deletes; the others find what they would have found a moment later.
      const found = await locked(
        trx,
        trx.selectFrom('auth_users').select('deleted_at').where('id', '=', user.id),
      ).executeTakeFirst()
      if (found === undefined || found.deleted_at !== user.deleted_at)
        throw authError(404, 'user_not_found', 'User not found')
      if (soft) await hide(trx, user)
      else await trx.deleteFrom('auth_users').where('id', '=', user.id).execute()
      await recordAudit(trx, {
        ...SERVICE_ACTOR,
        action: soft ? 'user.soft_deleted' : 'user.deleted',
        subject: user.id,
        before: auditedUser(user),
      })
    })
    return {}
  })
}

/** The row stays for what points at it; the person, and every way in, is gone from it. */
async function hide(trx: Db, user: UserRow): Promise<void> {
  const now = new Date().toISOString()
  const digest = createHash('sha256').update(`${user.id}${user.email}`).digest('hex').slice(0, 32)
  await trx
    .updateTable('auth_users')
    .set({
      email: `${digest}@deleted.invalid`,
      password_hash: null,
      new_email: null,
      user_metadata: '{}',
      deleted_at: now,
      updated_at: now,
    })
    .where('id', '=', user.id)
    .execute()
  await trx.deleteFrom('admin_roles').where('user_id', '=', user.id).execute()
  await closeEveryWayIn(trx, user.id)
}
