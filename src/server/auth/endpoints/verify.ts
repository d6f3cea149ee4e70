import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Config } from '#server/config.ts'
import { aheadRange } from '#server/db/time.ts'
import { sendNotice } from '../account-mail.ts'
import { refuseTakenEmail } from '../accounts/admin-users.ts'
import { confirmEmail, type LockedAccount } from '../accounts/change-account.ts'
import { checkKnownEmail, refuseChangeOfPrincipal } from '../accounts/rules.ts'
import type { AuthContext } from '../context.ts'
import { insertLinkCode } from '../one-time-tokens/link-codes.ts'
import { listedRedirect, redirectTarget, withQuery } from '../one-time-tokens/redirects.ts'
import {
  CODED_PREFIX,
  findByCode,
  findByLink,
  kindsOfType,
  spendToken,
  TOKEN_LIFE_MS,
  type TokenKind,
  type TokenRow,
} from '../one-time-tokens/tokens.ts'
import { authError, limitByAddress, readBody, readQuery, text, validationFailed } from '../protocol.ts'
import { amrOf, signIn } from '../sessions/issue.ts'

const TOKEN_SHAPE = /^[\w-]{16,128}$/

/**
 * Where the links in mails lead. It verifies nothing, so a mail scanner that follows it uses nothing up: it hands the
 * token to the dashboard in the fragment, which no server sees and no referrer carries, and the dashboard posts it when
 * the person says so. A link of `AUTH_REDIRECT_URLS` gets a code instead, which is as little use to a scanner.
 */
export function registerVerifyLink(scope: FastifyInstance, context: AuthContext): void {
  const { config, origins } = context
  scope.get(
    '/verify',
    { config: { keyless: true, navigable: true }, exposeHeadRoute: false },
    async (request, reply) => {
      const token = readQuery(request, 'token') ?? ''
      const type = readQuery(request, 'type') ?? ''
      const target =
        redirectTarget(origins, readQuery(request, 'redirect_to')) ?? `${config.dashboardUrl}/admin`
      const kinds = kindsOfType(type)
      const isLink = TOKEN_SHAPE.test(token) && kinds !== undefined
      const elsewhere = isLink ? await handOutCode(context, request, token, kinds) : null
      if (elsewhere !== null) return reply.redirect(elsewhere, 303)
      const fragment = new URLSearchParams(isLink ? { token_hash: token, type } : EXPIRED_LINK)
      return reply.redirect(`${target}#${fragment}`, 303)
    },
  )
}

const EXPIRED_LINK = {
  error: 'access_denied',
  error_code: 'otp_expired',
  error_description: 'Email link is invalid or has expired',
}

/**
 * The listed address that a link leads to, with a code; null for a link of the dashboard, or when the address is listed
 * no more. A code goes where the mail was asked for, whatever the link says by now.
 */
async function handOutCode(
  context: AuthContext,
  request: FastifyRequest,
  token: string,
  kinds: readonly TokenKind[],
): Promise<string | null> {
  const { redirectUrls } = context.config.auth
  if (redirectUrls.length === 0 || !token.startsWith(CODED_PREFIX)) return null
  limitByAddress(context, request, 'verify')
  const row = await findByLink(context.db, token, kinds)
  const asked = row === undefined ? readQuery(request, 'redirect_to') : (row.redirect_to ?? undefined)
  const target = listedRedirect(redirectUrls, asked)
  if (target === null) return null
  const code = row === undefined ? null : await insertLinkCode(context.db, row.id)
  return withQuery(target, code === null ? EXPIRED_LINK : { code })
}

const body = z.object({ type: text, token: text, token_hash: text, email: text, phone: text })

type VerifyInput = z.output<typeof body>

const PHONE_TYPES = ['sms', 'phone_change']

const E164 = /^\+?[1-9]\d{1,14}$/

/** A one-time token becomes a session, once. */
export function registerVerify(scope: FastifyInstance, context: AuthContext): void {
  scope.post('/verify', async (request, reply) => {
    const input = readBody(body, request)
    const kinds = checkInput(input)
    limitByAddress(context, request, 'verify')
    const token = await findProof(context, input, kinds)
    return redeemToken(context, { request, reply, token, fail: () => expired(input) })
  })
}

function checkInput(input: VerifyInput): readonly TokenKind[] {
  if (input.type === '') throw validationFailed('Verify requires a verification type')
  if (PHONE_TYPES.includes(input.type) || input.phone !== '') throw refusePhone(input)
  const kinds = kindsOfType(input.type)
  if (kinds === undefined) throw validationFailed('Unsupported verification type')
  if (input.token === '' && input.token_hash === '')
    throw validationFailed('Verify requires either a token or a token hash')
  if (input.token_hash !== '' && input.email !== '')
    throw validationFailed('Only the token_hash and type should be provided')
  if (input.token_hash === '' && input.email === '')
    throw validationFailed('Only an email address or phone number should be provided on verify')
  return kinds
}

/** No code ever goes to a phone, so none can be right. */
function refusePhone(input: VerifyInput): Error {
  return E164.test(input.phone)
    ? expired(input)
    : validationFailed('Invalid phone number format (E.164 required)')
}

async function findProof(
  { db, codeSecret }: AuthContext,
  input: VerifyInput,
  kinds: readonly TokenKind[],
): Promise<TokenRow> {
  const token =
    input.token_hash === ''
      ? await findByCode(db, codeSecret, {
          code: input.token.trim(),
          sentTo: checkKnownEmail(input.email),
          kinds,
        })
      : await findByLink(db, input.token_hash, kinds)
  if (token === undefined) throw expired(input)
  return token
}

function expired({ token_hash: hash }: VerifyInput): Error {
  return authError(
    403,
    'otp_expired',
    hash === '' ? 'Token has expired or is invalid' : 'Email link is invalid or has expired',
  )
}

const HALF_DONE = {
  msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
  code: '200',
}

interface Redemption {
  request: FastifyRequest
  reply: FastifyReply
  token: TokenRow
  fail: () => Error
}

/** Spends the token, which proves a mailbox, and opens the session that it stands for: all of it or nothing. */
export async function redeemToken(
  context: AuthContext,
  { request, reply, token, fail }: Redemption,
): Promise<unknown> {
  const isEmailChange = token.kind.startsWith('email_change')
  const session = await signIn(context, {
    request,
    reply,
    userId: token.user_id,
    amr: amrOf(token.kind === 'recovery' || token.kind === 'invite' ? token.kind : 'otp'),
    status: 403,
    unknown: fail,
    admit: async (account) => {
      const former = account.user
      const address = token.kind === 'email_change_new' ? former.new_email : former.email
      // Sent to an address that is not this person's any more.
      if (token.sent_to !== address) throw fail()
      if (isEmailChange) {
        const isDone = await confirmEmailChange(account, context.config, token, fail)
        if (isDone) await sendNotice(context, account.trx, { user: former, kind: 'email', by: 'self' })
        return isDone
      }
      if (!(await spendToken(account.trx, token.id))) throw fail()
      await confirmEmail(account)
      return true
    },
  })
  if (session === null) return HALF_DONE
  return session
}

/**
 * Both mailboxes must agree: whoever took over a session cannot take the account away, and a mistyped address locks
 * nobody out. False after the first of the two; after the second, the account has the new address. Each confirmation is
 * of one address: what was mailed about another one, or to another one, confirms nothing.
 */
async function confirmEmailChange(
  account: LockedAccount,
  config: Config,
  token: TokenRow,
  fail: () => Error,
): Promise<boolean> {
  const { trx, user } = account
  const newEmail = user.new_email
  if (newEmail === null || !(await spendToken(trx, token.id))) throw fail()
  const { after: now, upTo } = aheadRange(TOKEN_LIFE_MS, Date.now())
  const other = token.kind === 'email_change_new' ? 'email_change_current' : 'email_change_new'
  const confirmed = await trx
    .selectFrom('auth_one_time_tokens')
    .select('id')
    .where('user_id', '=', user.id)
    .where('kind', '=', other)
    .where('sent_to', '=', other === 'email_change_new' ? newEmail : user.email)
    .where('used_at', 'is not', null)
    .where('expires_at', '>', now)
    .where('expires_at', '<=', upTo)
    .executeTakeFirst()
  if (confirmed === undefined) return false
  refuseChangeOfPrincipal(config, user.email)
  await refuseTakenEmail(trx, user.id, newEmail)
  await account.audit('user.email_changed', { before: { email: user.email }, after: { email: newEmail } })
  await account.update({
    email: newEmail,
    new_email: null,
    email_confirmed_at: now,
    mailbox_proved_at: now,
    updated_at: now,
  })
  await account.revoke('email_confirmed')
  return true
}
