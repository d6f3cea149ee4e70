import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Config } from '#server/config.ts'
import { aheadRange } from '#server/db/time.ts'
import { sendNotice } from '../account-mail.ts'
import { confirmEmail, type LockedAccount } from '../accounts/change-account.ts'
import { checkKnownEmail, refuseChangeOfPrincipal } from '../accounts/rules.ts'
import { refuseTakenEmail } from '../accounts/users.ts'
import type { AuthContext } from '../context.ts'
import { insertLinkCode } from '../one-time-tokens/link-codes.ts'
import {
  dashboardHome,
  listedRedirect,
  readDashboardTarget,
  readRedirectTo,
  withQuery,
} from '../one-time-tokens/redirects.ts'
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
 * The target of emailed links. It verifies nothing, so a mail scanner uses nothing up: it passes the token to the
 * dashboard in the fragment, which no server or referrer sees, and the dashboard posts it when the person confirms. A
 * link to an address of `AUTH_REDIRECT_URLS` gets a code instead, which a scanner cannot use.
 */
export function registerVerifyLink(scope: FastifyInstance, context: AuthContext): void {
  scope.get(
    '/verify',
    { config: { keyless: true, navigable: true }, exposeHeadRoute: false },
    async (request, reply) => {
      const token = readQuery(request, 'token') ?? ''
      const type = readQuery(request, 'type') ?? ''
      const target = readDashboardTarget(context, request) ?? dashboardHome(context.config)
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
 * The listed address of a link, with a code; null for a link to the dashboard, or if the address is no longer listed.
 * The address was stored with the request, so a changed link leads nowhere else.
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
  const asked = row === undefined ? readRedirectTo(request) : (row.redirect_to ?? undefined)
  const target = listedRedirect(redirectUrls, asked)
  if (target === null) return null
  const code = row === undefined ? null : await insertLinkCode(context.db, row.id)
  return withQuery(target, code === null ? EXPIRED_LINK : { code })
}

const body = z.object({ type: text, token: text, token_hash: text, email: text, phone: text })

type VerifyInput = z.output<typeof body>

const PHONE_TYPES = ['sms', 'phone_change']

const E164 = /^\+?[1-9]\d{1,14}$/

/** Exchanges a one-time token for a session, once. */
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

/** No code is ever sent to a phone. */
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

/** Spends the token, which proves a mailbox, and opens its session, in one transaction. */
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
      // The token was sent to an address that this person no longer has.
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
 * Both mailboxes must confirm: a stolen session cannot take the account away, and a typing mistake locks nobody out.
 * False after the first confirmation; after the second, the account has the new address. A confirmation counts only for
 * the address it was sent to.
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
