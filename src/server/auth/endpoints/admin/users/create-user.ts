import type { FastifyInstance } from 'fastify'
import { isUuid } from '#contract/uuid.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { authError, emailExists, validationFailed } from '#server/auth/protocol/auth-error.ts'
import { readBody } from '#server/auth/protocol/read-body.ts'
import { auditedUser } from '#server/auth/users/audit-user.ts'
import { SERVICE_ACTOR } from '#server/auth/users/change-account.ts'
import { checkEmail } from '#server/auth/users/check-email.ts'
import { findUserByEmail } from '#server/auth/users/find-user.ts'
import { insertUser } from '#server/auth/users/insert-user.ts'
import { toUserObject } from '#server/auth/users/user-object.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { readBan, readPasswordHash, readRole, userInput } from './user-input.ts'

export function registerCreateUser(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.post('/', async (request) => {
    const input = readBody(userInput, request)
    if (input.email === '' && input.phone === '')
      throw validationFailed('Cannot create a user without either an email or phone')
    if (input.email === '') throw authError(400, 'phone_provider_disabled', 'Phone signups are disabled')
    const email = checkEmail(input.email)
    if (input.id !== '' && !isUuid(input.id)) throw validationFailed('ID must conform to the uuid v4 format')
    const tokenRole = readRole(input.role)
    const bannedUntil = readBan(input.ban_duration) ?? null
    if ((await findUserByEmail(db, email)) !== undefined) throw emailExists()
    const passwordHash = await readPasswordHash(context, input, email)
    const user = await change(db, async (trx) => {
      const row = await insertUser(trx, {
        ...(input.id === '' ? {} : { id: input.id.toLowerCase() }),
        email,
        passwordHash,
        confirmed: input.email_confirm,
        userMetadata: input.user_metadata ?? {},
        appMetadata: input.app_metadata ?? {},
        ...(tokenRole === undefined ? {} : { tokenRole }),
        bannedUntil,
      })
      if (row === null) throw emailExists()
      const after = auditedUser(row)
      await recordAudit(trx, { ...SERVICE_ACTOR, action: 'user.created', subject: row.id, after })
      return row
    })
    return toUserObject({ ...user, factors: [] })
  })
}
