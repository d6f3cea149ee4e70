import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { requireService } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { issueTokens } from '#server/auth/one-time-tokens/issue-tokens.ts'
import { redirectTarget } from '#server/auth/one-time-tokens/redirect-target.ts'
import { type TokenKind, typeOfKind } from '#server/auth/one-time-tokens/token-kind.ts'
import { tokenLink } from '#server/auth/one-time-tokens/token-link.ts'
import { checkPassword } from '#server/auth/passwords/check-password.ts'
import { refuseChangeOfPrincipal } from '#server/auth/principal/refuse-on-principal.ts'
import { authError, emailExists, validationFailed } from '#server/auth/protocol/auth-error.ts'
import { document, readBody, readQuery, text } from '#server/auth/protocol/read-body.ts'
import { refuseTakenEmail } from '#server/auth/users/accounts.ts'
import { checkEmail, checkKnownEmail } from '#server/auth/users/check-email.ts'
import { findUserByEmail, findUserById, withFactors } from '#server/auth/users/find-user.ts'
import { insertUser } from '#server/auth/users/insert-user.ts'
import { toUserObject, type UserRow } from '#server/auth/users/user-object.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { SERVICE_ACTOR } from './users/find-target.ts'

const body = z.object({ type: text, email: text, password: text, data: document, new_email: text })
type LinkInput = z.output<typeof body>

const KINDS: readonly TokenKind[] = [
  'signup',
  'magiclink',
  'recovery',
  'invite',
  'email_change_current',
  'email_change_new',
]

/** For scripts that send their own mail: the token is told instead of sent. */
export function registerGenerateLink(scope: FastifyInstance, context: AuthContext): void {
  const { db, config, origins } = context
  scope.post('/admin/generate_link', async (request) => {
    await requireService(context, request)
    const input = readBody(body, request)
    const kind = KINDS.find((candidate) => candidate === input.type)
    if (kind === undefined) throw validationFailed('Invalid email action link type requested')
    const user = await findOrMakeUser(context, kind, { ...input, email: checkKnownEmail(input.email) })
    const redirectTo =
      redirectTarget(origins, readQuery(request, 'redirect_to')) ??
      `${config.adminUrl ?? config.siteUrl}/admin`
    const [issued] = await issueTokens(context, user, [kind], { redirectTo, codeChallenge: null })
    const current = await findUserById(db, user.id)
    if (issued === undefined || current === undefined)
      throw authError(404, 'user_not_found', 'User not found')
    return {
      ...toUserObject(await withFactors(db, current)),
      action_link: tokenLink(config, issued, redirectTo),
      email_otp: issued.code,
      hashed_token: issued.token,
      redirect_to: redirectTo,
      verification_type: typeOfKind(kind),
    }
  })
}

async function findOrMakeUser(context: AuthContext, kind: TokenKind, input: LinkInput): Promise<UserRow> {
  const user = await findUserByEmail(context.db, input.email)
  if (kind === 'email_change_current' || kind === 'email_change_new') {
    if (user === undefined) throw authError(404, 'user_not_found', 'User not found')
    return wishForEmail(context, user, checkEmail(input.new_email))
  }
  if (user !== undefined) {
    if (user.email_confirmed_at !== null && (kind === 'signup' || kind === 'invite')) throw emailExists()
    return user
  }
  if (kind === 'recovery') throw authError(404, 'user_not_found', 'User not found')
  return makeUser(context, kind, input)
}

async function makeUser(context: AuthContext, kind: TokenKind, input: LinkInput): Promise<UserRow> {
  checkEmail(input.email)
  if (kind === 'signup' && input.password === '') throw validationFailed('Signup requires a valid password')
  if (input.password !== '') await checkPassword(input.password, [input.email, context.config.site.brandName])
  const passwordHash = input.password === '' ? null : await context.passwords.hash(input.password)
  return change(context.db, async (trx) => {
    const { email, data } = input
    const user = await insertUser(trx, { email, passwordHash, confirmed: false, userMetadata: data ?? {} })
    if (user === null) throw emailExists()
    await recordAudit(trx, { ...SERVICE_ACTOR, action: 'user.created', subject: user.id, after: { email } })
    return user
  })
}

async function wishForEmail({ db, config }: AuthContext, user: UserRow, newEmail: string): Promise<UserRow> {
  refuseChangeOfPrincipal(config, user.email)
  await refuseTakenEmail(db, user.id, newEmail)
  return db
    .updateTable('auth_users')
    .set({ new_email: newEmail, updated_at: new Date().toISOString() })
    .where('id', '=', user.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}
