import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { recordAudit } from '../../db/audit.ts'
import { refuseTakenEmail } from '../accounts.ts'
import type { AuthContext } from '../auth-context.ts'
import { authError, emailExists, validationFailed } from '../auth-error.ts'
import { inTransaction } from '../in-transaction.ts'
import { issueTokens } from '../one-time/issue-tokens.ts'
import { type Kind, typeOfKind } from '../one-time/kinds.ts'
import { redirectTarget } from '../one-time/redirect-target.ts'
import { tokenLink } from '../one-time/token-link.ts'
import { checkPassword } from '../passwords/check-password.ts'
import { document, readBody, readQuery, text } from '../read-body.ts'
import { requireService } from '../require-user.ts'
import { checkEmail, checkKnownEmail } from '../users/check-email.ts'
import { findUserByEmail, findUserById, withFactors } from '../users/find-user.ts'
import { insertUser } from '../users/insert-user.ts'
import { refuseChangeOfPrincipal } from '../users/refuse-on-principal.ts'
import { toUserObject, type UserRow } from '../users/user-object.ts'
import { SERVICE_ACTOR } from './find-target.ts'

const body = z.object({ type: text, email: text, password: text, data: document, new_email: text })
type LinkInput = z.output<typeof body>

const KINDS: readonly Kind[] = [
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
    const [issued] = await issueTokens(context, user, [kind])
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

async function findOrMakeUser(context: AuthContext, kind: Kind, input: LinkInput): Promise<UserRow> {
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

async function makeUser(context: AuthContext, kind: Kind, input: LinkInput): Promise<UserRow> {
  if (kind === 'signup' && input.password === '') throw validationFailed('Signup requires a valid password')
  if (input.password !== '') await checkPassword(input.password, [input.email, context.config.site.brandName])
  const passwordHash = input.password === '' ? null : await context.passwords.hash(input.password)
  return inTransaction(context.db, async (trx) => {
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
