import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { isUuid } from '#contract/uuid.ts'
import { recordAudit } from '#server/activity/trail.ts'
import { change } from '#server/db/transactions/change.ts'
import { SERVICE_ACTOR } from '#server/http/security/administrators.ts'
import { sendNotice } from '../account-mail.ts'
import { deleteRole } from '../accounts/admin-users.ts'
import {
  type AccountState,
  auditedUser,
  changeAccount,
  type LockedAccount,
  mergeMetadata,
  readAccount,
} from '../accounts/change-account.ts'
import { deleteFactors } from '../accounts/credentials.ts'
import { checkEmail, refuseChangeOfPrincipal, refuseRemovalOfPrincipal } from '../accounts/rules.ts'
import {
  createUser,
  type FactorRow,
  findFactors,
  refuseTakenEmail,
  toFactorObject,
  toUserObject,
  type UserRow,
  withFactors,
} from '../accounts/users.ts'
import type { AuthContext } from '../context.ts'
import { lowerSessions, requireFactor } from '../factors/second-factor.ts'
import { findPasskeys, readPasskeyId, removePasskey, toPasskeyObject } from '../factors/webauthn.ts'
import { authIssuer } from '../keys/key-ring.ts'
import { authError, flag, readBody, readQuery, toJson, validationFailed } from '../protocol.ts'
import { readBan, readPasswordHash, readRole, userInput } from './admin-user-input.ts'

/** `/admin/users`, for service keys. */
export function registerAdminUsers(scope: FastifyInstance, context: AuthContext): void {
  scope.register(
    async (users) => {
      registerListUsers(users, context)
      registerCreateUser(users, context)
      registerReadUser(users, context)
      registerUpdateUserById(users, context)
      registerDeleteUser(users, context)
      registerUserFactors(users, context)
      registerUserPasskeys(users, context)
    },
    { prefix: '/admin/users' },
  )
}

function registerCreateUser(scope: FastifyInstance, context: AuthContext): void {
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
    await refuseTakenEmail(db, null, email)
    const passwordHash = await readPasswordHash(context, input, email)
    const user = await change(db, async (trx) => {
      const row = await createUser(trx, {
        ...(input.id === '' ? {} : { id: input.id.toLowerCase() }),
        email,
        passwordHash,
        confirmed: input.email_confirm,
        userMetadata: input.user_metadata ?? {},
        appMetadata: input.app_metadata ?? {},
        ...(tokenRole === undefined ? {} : { tokenRole }),
        bannedUntil,
      })
      const after = auditedUser(row)
      await recordAudit(trx, { ...SERVICE_ACTOR, action: 'user.created', subject: row.id, after })
      return row
    })
    return toUserObject({ ...user, factors: [] })
  })
}

const body = z.object({ should_soft_delete: flag })

function registerDeleteUser(scope: FastifyInstance, context: AuthContext): void {
  scope.delete('/:id', async (request) => {
    const { should_soft_delete: soft } = readBody(body, request)
    await changeAccount(
      context.db,
      { userId: readTargetId(request), by: SERVICE_ACTOR },
      {
        check: ({ user }) => refuseRemovalOfPrincipal(context.config, user.email),
        write: async (account) => {
          // Already soft-deleted: nothing is left to remove.
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

/** Keeps the row for its references; the person's data and credentials are deleted. */
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

const MAX_PAGE = 2 ** 31 - 1

const MAX_PER_PAGE = 1000

function registerListUsers(scope: FastifyInstance, { db, config }: AuthContext): void {
  scope.get('/', async (request, reply) => {
    const page = readNumber(request, 'page', 1, MAX_PAGE)
    const perPage = readNumber(request, 'per_page', 50, MAX_PER_PAGE)
    const { total } = await db
      .selectFrom('auth_users')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    const users = await db
      .selectFrom('auth_users')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(perPage)
      .offset((page - 1) * perPage)
      .execute()
    const ids = users.map((user) => user.id)
    const factors =
      ids.length === 0
        ? []
        : await db
            .selectFrom('auth_factors')
            .selectAll()
            .where('user_id', 'in', ids)
            .orderBy('created_at')
            .execute()
    const byUser = Map.groupBy(factors, (factor: FactorRow) => factor.user_id)
    return reply
      .header('x-total-count', String(total))
      .header('link', makeLinks(`${authIssuer(config)}/admin/users`, page, perPage, total))
      .send({
        users: users.map((user) => toUserObject({ ...user, factors: byUser.get(user.id) ?? [] })),
        aud: 'authenticated',
      })
  })
}

/** The client sends an empty value for what it does not set. */
function readNumber(request: FastifyRequest, name: string, fallback: number, max: number): number {
  const value = readQuery(request, name) ?? ''
  if (value === '') return fallback
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
  if (number >= 1 && number <= max) return number
  throw validationFailed(`Bad Pagination Parameters: ${name} must be a whole number from 1 to ${max}`)
}

/** `page` must be the first key of the query: the client reads what follows the first equals sign. */
function makeLinks(url: string, page: number, perPage: number, total: number): string {
  const last = Math.max(1, Math.ceil(total / perPage))
  const link = (target: number, rel: string) => `<${url}?page=${target}&per_page=${perPage}>; rel="${rel}"`
  return [...(page < last ? [link(page + 1, 'next')] : []), link(last, 'last')].join(', ')
}

function registerReadUser(scope: FastifyInstance, context: AuthContext): void {
  scope.get('/:id', async (request) =>
    toUserObject(await withFactors(context.db, await findTarget(context, request))),
  )
}

function registerUpdateUserById(scope: FastifyInstance, context: AuthContext): void {
  const { db, config } = context
  scope.put('/:id', async (request) => {
    const input = readBody(userInput, request)
    const tokenRole = readRole(input.role)
    const bannedUntil = readBan(input.ban_duration)
    /** Omitted fields keep their value at the time of the write. */
    const emailFor = ({ user }: AccountState) =>
      input.email === '' ? user.email : checkEmail(input.email, user.email)
    const { after, factors } = await changeAccount(
      db,
      { userId: readTargetId(request), by: SERVICE_ACTOR },
      {
        check: (account) => {
          if (emailFor(account) !== account.user.email || bannedUntil != null)
            refuseChangeOfPrincipal(config, account.user.email)
        },
        prepare: (seen) => readPasswordHash(context, input, emailFor(seen)),
        write: async (account, passwordHash) => {
          const current = account.user
          const email = emailFor(account)
          const changesEmail = email !== current.email
          const confirms = input.email_confirm && current.email_confirmed_at === null
          if (changesEmail) await refuseTakenEmail(account.trx, current.id, email)
          const now = new Date().toISOString()
          const row = await account.update({
            updated_at: now,
            user_metadata: toJson(mergeMetadata(current.user_metadata, input.user_metadata ?? {})),
            app_metadata: toJson(mergeMetadata(current.app_metadata, input.app_metadata ?? {})),
            ...(confirms ? { email_confirmed_at: now } : {}),
            ...(changesEmail || confirms ? { mailbox_proved_at: now } : {}),
            ...(changesEmail ? { email, new_email: null } : {}),
            ...(passwordHash === null ? {} : { password_hash: passwordHash }),
            ...(tokenRole === undefined ? {} : { token_role: tokenRole }),
            ...(bannedUntil === undefined ? {} : { banned_until: bannedUntil }),
          })
          if (passwordHash !== null) await account.revoke('password_by_other')
          else if (changesEmail) await account.revoke('email_or_role')
          await account.audit(passwordHash === null ? 'user.updated' : 'user.password_changed', {
            before: auditedUser(current),
            after: auditedUser(row),
          })
          const notice = { user: current, by: 'administrator' } as const
          if (passwordHash !== null) await sendNotice(context, account.trx, { ...notice, kind: 'password' })
          if (changesEmail) await sendNotice(context, account.trx, { ...notice, kind: 'email' })
          return { after: row, factors: account.factors }
        },
      },
    )
    return toUserObject({ ...after, factors })
  })
}

function registerUserFactors(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.get('/:id/factors', async (request) => {
    const user = await findTarget(context, request)
    return (await findFactors(db, user.id)).map(toFactorObject)
  })
  scope.delete('/:id/factors/:factorId', async (request) => {
    const user = await findTarget(context, request)
    const { factorId } = request.params as { factorId: string }
    if (!isUuid(factorId)) throw validationFailed('factor_id must be an UUID', 404)
    const who = { userId: user.id, by: SERVICE_ACTOR }
    const removed = await changeAccount(db, who, {
      write: async (account) => {
        const factor = requireFactor(account, factorId.toLowerCase())
        await deleteFactors(account, factor.id)
        if (factor.status === 'verified') await lowerSessions(account)
        await account.audit('user.factor_removed', { before: { factor_id: factor.id } })
        if (factor.status === 'verified')
          await sendNotice(context, account.trx, {
            user: account.user,
            kind: 'factor-removed',
            by: 'administrator',
          })
        return factor
      },
    })
    return toFactorObject(removed)
  })
}

function registerUserPasskeys(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.get('/:id/passkeys', async (request) => {
    const user = await findTarget(context, request)
    return (await findPasskeys(db, user.id, 'sign-in')).map(toPasskeyObject)
  })
  scope.delete('/:id/passkeys/:passkeyId', async (request, reply) => {
    const user = await findTarget(context, request)
    await removePasskey(context, { userId: user.id, by: SERVICE_ACTOR }, readPasskeyId(request))
    return reply.code(204).send()
  })
}

/** The user id in the path. */
function readTargetId(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (!isUuid(id)) throw validationFailed('user_id must be an UUID', 404)
  return id.toLowerCase()
}

async function findTarget({ db }: AuthContext, request: FastifyRequest): Promise<UserRow> {
  return (await readAccount(db, { userId: readTargetId(request) })).user
}
