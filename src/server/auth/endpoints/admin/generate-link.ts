import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { normalizeEmail } from '#contract/email.ts'
import { requireService } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { deleteTokens } from '#server/auth/one-time-tokens/delete-tokens.ts'
import { EMAIL_CHANGE_KINDS, issueTokens } from '#server/auth/one-time-tokens/issue-tokens.ts'
import { redirectTarget } from '#server/auth/one-time-tokens/redirect-target.ts'
import { type TokenKind, typeOfKind } from '#server/auth/one-time-tokens/token-kind.ts'
import { tokenLink } from '#server/auth/one-time-tokens/token-link.ts'
import { checkPassword } from '#server/auth/passwords/check-password.ts'
import { authError, emailExists, validationFailed } from '#server/auth/protocol/auth-error.ts'
import { document, readBody, readQuery, text } from '#server/auth/protocol/read-body.ts'
import { refuseTakenEmail } from '#server/auth/users/accounts.ts'
import { type LockedAccount, lockAccount, SERVICE_ACTOR } from '#server/auth/users/change-account.ts'
import { checkEmail, checkKnownEmail } from '#server/auth/users/check-email.ts'
import { findUserByEmail } from '#server/auth/users/find-user.ts'
import { insertUser } from '#server/auth/users/insert-user.ts'
import { refuseChangeOfPrincipal } from '#server/auth/users/rules.ts'
import { toUserObject } from '#server/auth/users/user-object.ts'
import type { Config } from '#server/config.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'

const body = z.object({ type: text, email: text, password: text, data: document, new_email: text })
type LinkInput = z.output<typeof body>

/** Who has no account yet gets one. */
const MAKES_ACCOUNTS: readonly TokenKind[] = ['signup', 'magiclink', 'invite']
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
    const email = checkKnownEmail(input.email)
    const passwordHash = await preparePassword(context, kind, { ...input, email })
    const redirectTo =
      redirectTarget(origins, readQuery(request, 'redirect_to')) ??
      `${config.adminUrl ?? config.siteUrl}/admin`
    const { issued, ...account } = await change(db, async (trx) => {
      const account = await lockOrMake(trx, kind, { ...input, email }, passwordHash)
      if (kind === 'email_change_current' || kind === 'email_change_new')
        await askForEmail(config, account, checkEmail(input.new_email))
      const [issued] = await issueTokens(context, account, [kind], { redirectTo, codeChallenge: null })
      if (issued === undefined) throw new Error('a link was asked for and none was made')
      await account.audit('user.link_made', { after: { email: account.user.email, type: typeOfKind(kind) } })
      return { user: account.user, factors: account.factors, issued }
    })
    return {
      ...toUserObject({ ...account.user, factors: account.factors }),
      action_link: tokenLink(config, issued, redirectTo),
      email_otp: issued.code,
      hashed_token: issued.token,
      redirect_to: redirectTo,
      verification_type: typeOfKind(kind),
    }
  })
}

/** A password is only given to an account that is made here, and hashed before it is known whether one has to be. */
async function preparePassword(
  { config, passwords }: AuthContext,
  kind: TokenKind,
  { email, password }: LinkInput,
): Promise<string | null> {
  if (password === '' || !MAKES_ACCOUNTS.includes(kind)) return null
  await checkPassword(password, [email, config.site.brandName])
  return passwords.hash(password)
}

async function lockOrMake(
  trx: Db,
  kind: TokenKind,
  { email, password, data }: LinkInput,
  passwordHash: string | null,
): Promise<LockedAccount> {
  const found = await findUserByEmail(trx, email)
  if (found === undefined && !MAKES_ACCOUNTS.includes(kind))
    throw authError(404, 'user_not_found', 'User not found')
  if (found === undefined) {
    if (kind === 'signup' && password === '') throw validationFailed('Signup requires a valid password')
    const made = await insertUser(trx, {
      email: checkEmail(email),
      passwordHash,
      confirmed: false,
      userMetadata: data ?? {},
    })
    if (made === null) throw emailExists()
    const account = await lockAccount(trx, { userId: made.id, by: SERVICE_ACTOR })
    await account.audit('user.created', { after: { email } })
    return account
  }
  const account = await lockAccount(trx, { userId: found.id, by: SERVICE_ACTOR })
  const { user } = account
  // Somebody else's by now, or nobody's.
  if (normalizeEmail(user.email) !== email) throw authError(404, 'user_not_found', 'User not found')
  if (user.email_confirmed_at !== null && (kind === 'signup' || kind === 'invite')) throw emailExists()
  return account
}

/** Another address than the one that is waited for ends the mails and confirmations of that one. */
async function askForEmail(config: Config, account: LockedAccount, newEmail: string): Promise<void> {
  const { user, trx } = account
  refuseChangeOfPrincipal(config, user.email)
  await refuseTakenEmail(trx, user.id, newEmail)
  if (user.new_email === newEmail) return
  await account.update({ new_email: newEmail, updated_at: new Date().toISOString() })
  await deleteTokens(account, EMAIL_CHANGE_KINDS)
}
