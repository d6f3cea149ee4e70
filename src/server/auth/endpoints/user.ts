import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { clientAddress } from '#server/http/sockets/addresses.ts'
import { limitOwnMail, mailIssued, requireMails, sendNotice } from '../account-mail.ts'
import {
  type AccountState,
  changeAccount,
  type LockedAccount,
  mergeMetadata,
} from '../accounts/change-account.ts'
import { checkEmail, refuseChangeOfPrincipal } from '../accounts/rules.ts'
import { refuseTakenEmail, toUserObject, withFactors } from '../accounts/users.ts'
import { requireUser } from '../caller.ts'
import type { AuthContext } from '../context.ts'
import { requireSecondFactor } from '../factors/second-factor.ts'
import { readDashboardTarget } from '../one-time-tokens/redirects.ts'
import {
  EMAIL_CHANGE_KINDS,
  findByCode,
  issueTokens,
  spendToken,
  type TokenRow,
} from '../one-time-tokens/tokens.ts'
import {
  checkPassword,
  proveOwnPassword,
  requireOwnPassword,
  type Seat,
  seatOf,
} from '../passwords/passwords.ts'
import { authError, document, limitByPerson, readBody, text, toJson } from '../protocol.ts'

export function registerGetUser(scope: FastifyInstance, context: AuthContext): void {
  scope.get('/user', async (request) => {
    const { user } = await requireUser(context, request)
    return toUserObject(await withFactors(context.db, user))
  })
}

const body = z.object({
  email: text,
  phone: text,
  password: text,
  current_password: text,
  nonce: text,
  data: document,
})

/**
 * One's own account. A new address waits in `new_email` until both mailboxes confirm it. Each request replaces address,
 * emails and confirmations of the one before, and is refused if its emails cannot be sent.
 */
export function registerUpdateUser(scope: FastifyInstance, context: AuthContext): void {
  const { db, config } = context
  scope.put('/user', async (request) => {
    const input = readBody(body, request)
    const { user, who } = await requireUser(context, request)
    if (input.phone !== '') throw authError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    /** The requested address, if it differs. */
    const newEmailFor = (account: AccountState): string | null => {
      const email = input.email === '' ? account.user.email : checkEmail(input.email, account.user.email)
      return email === account.user.email ? null : email
    }
    const redirectTo = readDashboardTarget(context, request)
    const target = { redirectTo, codeChallenge: null }
    const check = (account: AccountState) => {
      const newEmail = newEmailFor(account)
      if (newEmail !== null || input.password !== '') requireSecondFactor(account, 'update_user')
      if (newEmail !== null) refuseChangeOfPrincipal(config, account.user.email)
    }
    const changed = await changeAccount(db, who, {
      check,
      prepare: async (seen) => {
        const newEmail = newEmailFor(seen)
        if (newEmail !== null || input.password !== '') limitByPerson(context, 'update-user', user.id)
        if (newEmail !== null) {
          await refuseTakenEmail(db, user.id, newEmail)
          await limitOwnMail(db, 'email_change', user.id)
          await requireMails(db, seen.user, 'themselves', EMAIL_CHANGE_KINDS.length)
        }
        return input.password === ''
          ? null
          : prepareNewPassword(context, seen, { ...input, seat: seatOf(clientAddress(request), false) })
      },
      write: async (account, password) => {
        const before = account.user
        const newEmail = newEmailFor(account)
        await password?.admit(account)
        if (newEmail !== null) await refuseTakenEmail(account.trx, before.id, newEmail)
        const now = new Date().toISOString()
        await account.update({
          updated_at: now,
          ...(newEmail === null ? {} : { new_email: newEmail, email_change_sent_at: now }),
          ...(password === null ? {} : { password_hash: password.passwordHash }),
          ...(input.data == null
            ? {}
            : { user_metadata: toJson(mergeMetadata(before.user_metadata, input.data)) }),
        })
        if (password !== null) await account.revoke('own_password')
        // After the sessions that a new password ends: these emails are about the next step.
        const tokens =
          newEmail === null ? [] : await issueTokens(context, account, EMAIL_CHANGE_KINDS, target)
        await mailIssued(context, account, tokens, redirectTo)
        if (password !== null)
          await sendNotice(context, account.trx, { user: before, kind: 'password', by: 'self' })
        await account.audit(password === null ? 'user.updated' : 'user.password_changed', {
          ...(newEmail === null ? {} : { before: { email: before.email }, after: { new_email: newEmail } }),
        })
        return { ...account.user, factors: account.factors }
      },
    })
    return toUserObject(changed)
  })
}

interface PasswordChange {
  password: string
  current_password: string
  nonce: string
  seat: Seat
}

interface PreparedPassword {
  passwordHash: string
  /** On the locked account: checks and spends the proof. */
  admit: (account: LockedAccount) => Promise<void>
}

/**
 * All rules for a person's own new password. The code from `/reauthenticate` replaces the current password: it proves
 * the mailbox, which could reset the password anyway.
 */
async function prepareNewPassword(
  context: AuthContext,
  account: AccountState,
  { password, current_password: current, nonce, seat }: PasswordChange,
): Promise<PreparedPassword> {
  const { user } = account
  await checkPassword(password, [user.email, context.config.site.brandName], seat)
  const admit = await prove(context, account, { current, nonce, seat })
  if (user.password_hash !== null && (await context.passwords.verify(user.password_hash, password, seat)))
    throw authError(422, 'same_password', 'New password should be different from the old password.')
  return { passwordHash: await context.passwords.hash(password, seat), admit }
}

async function prove(
  context: AuthContext,
  seen: AccountState,
  { current, nonce, seat }: { current: string; nonce: string; seat: Seat },
): Promise<PreparedPassword['admit']> {
  if (current === '' && nonce !== '') {
    const token = await findNonce(context, seen, nonce)
    return async (account) => {
      if (token.sent_to !== account.user.email || !(await spendToken(account.trx, token.id))) throw badNonce()
    }
  }
  if (current !== '') await proveOwnPassword(context, seen.user, current, seat)
  const provedHash = current === '' ? null : seen.user.password_hash
  requireOwnPassword(seen, provedHash)
  return async (account) => requireOwnPassword(account, provedHash)
}

async function findNonce(
  { db, codeSecret }: AuthContext,
  { user }: AccountState,
  nonce: string,
): Promise<TokenRow> {
  const token = await findByCode(db, codeSecret, {
    code: nonce.trim(),
    sentTo: user.email,
    kinds: ['reauthentication'],
  })
  if (token?.user_id !== user.id) throw badNonce()
  return token
}

function badNonce(): Error {
  return authError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid')
}
