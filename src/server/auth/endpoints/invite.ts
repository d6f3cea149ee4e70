import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { normalizeEmail } from '#contract/email.ts'
import { recordAudit } from '#server/activity/trail.ts'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/database.ts'
import { change } from '#server/db/transactions/change.ts'
import { SERVICE_ACTOR } from '#server/http/security/administrators.ts'
import { limitOwnMail, mailTokens } from '../account-mail.ts'
import { type LockedAccount, lockAccount } from '../accounts/change-account.ts'
import { deleteTokens } from '../accounts/credentials.ts'
import { checkEmail, checkKnownEmail, refuseChangeOfPrincipal } from '../accounts/rules.ts'
import { createUser, findUserByEmail, refuseTakenEmail, toUserObject } from '../accounts/users.ts'
import type { AuthContext } from '../context.ts'
import { dashboardHome, readDashboardTarget, tokenLink } from '../one-time-tokens/redirects.ts'
import { EMAIL_CHANGE_KINDS, issueTokens, type TokenKind, typeOfKind } from '../one-time-tokens/tokens.ts'
import { checkPassword } from '../passwords/passwords.ts'
import { authError, document, emailExists, readBody, text, validationFailed } from '../protocol.ts'

const linkBody = z.object({
  type: text,
  email: text,
  password: text,
  data: document,
  new_email: text,
})

type LinkInput = z.output<typeof linkBody>

/** For these kinds, an unknown address gets an account. */
const MAKES_ACCOUNTS: readonly TokenKind[] = ['signup', 'magiclink', 'invite']

const KINDS: readonly TokenKind[] = [
  'signup',
  'magiclink',
  'recovery',
  'invite',
  'email_change_current',
  'email_change_new',
]

/** For scripts that send their own email: the token is returned instead of sent. */
export function registerGenerateLink(scope: FastifyInstance, context: AuthContext): void {
  const { db, config } = context
  scope.post('/admin/generate_link', async (request) => {
    const input = readBody(linkBody, request)
    const kind = KINDS.find((candidate) => candidate === input.type)
    if (kind === undefined) throw validationFailed('Invalid email action link type requested')
    const email = checkKnownEmail(input.email)
    const passwordHash = await preparePassword(context, kind, { ...input, email })
    const redirectTo = readDashboardTarget(context, request) ?? dashboardHome(config)
    const { issued, ...account } = await change(db, async (trx) => {
      const account = await lockOrMake(trx, kind, { ...input, email }, passwordHash)
      if (kind === 'email_change_current' || kind === 'email_change_new')
        await askForEmail(config, account, checkEmail(input.new_email))
      const [issued] = await issueTokens(context, account, [kind], { redirectTo, codeChallenge: null })
      if (issued === undefined) throw new Error('no link was made')
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

/** A password is only used for a new account, and hashed before it is known whether one is created. */
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
    const made = await createUser(trx, {
      email: checkEmail(email),
      passwordHash,
      confirmed: false,
      userMetadata: data ?? {},
    })
    const account = await lockAccount(trx, { userId: made.id, by: SERVICE_ACTOR })
    await account.audit('user.created', { after: { email } })
    return account
  }
  const account = await lockAccount(trx, { userId: found.id, by: SERVICE_ACTOR })
  const { user } = account
  // The address belongs to somebody else by now, or to nobody.
  if (normalizeEmail(user.email) !== email) throw authError(404, 'user_not_found', 'User not found')
  if (user.email_confirmed_at !== null && (kind === 'signup' || kind === 'invite')) throw emailExists()
  return account
}

/** A new pending address invalidates emails and confirmations of the former one. */
async function askForEmail(config: Config, account: LockedAccount, newEmail: string): Promise<void> {
  const { user, trx } = account
  refuseChangeOfPrincipal(config, user.email)
  await refuseTakenEmail(trx, user.id, newEmail)
  if (user.new_email === newEmail) return
  await account.update({ new_email: newEmail, updated_at: new Date().toISOString() })
  await deleteTokens(account, EMAIL_CHANGE_KINDS)
}

const body = z.object({ email: text, data: document })

/** For service keys: creates an account without a password, whose owner sets one from the email. */
export function registerInvite(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.post('/invite', async (request) => {
    const { email: given, data } = readBody(body, request)
    const email = checkEmail(given)
    const redirectTo = readDashboardTarget(context, request)
    await limitOwnMail(db, 'invite', email)
    const user = await change(db, async (trx) => {
      const row = await createUser(trx, {
        email,
        passwordHash: null,
        confirmed: false,
        isInvited: true,
        userMetadata: data ?? {},
      })
      await recordAudit(trx, { ...SERVICE_ACTOR, action: 'user.invited', subject: row.id, after: { email } })
      await mailTokens(context, trx, { userId: row.id, kinds: ['invite'], redirectTo })
      return row
    })
    return toUserObject({ ...user, factors: [] })
  })
}
