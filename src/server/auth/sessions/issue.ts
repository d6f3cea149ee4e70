import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '#server/db/database.ts'
import { engineOf } from '#server/db/dialect.ts'
import { change } from '#server/db/transactions/change.ts'
import { KEPT_PER_ACCOUNT } from '#server/http/limits/limits.ts'
import { clientAddress, coarseNetwork } from '#server/http/sockets/addresses.ts'
import { hashOpaqueToken, makeOpaqueToken } from '#server/secrets/tokens.ts'
import { LockedAccount } from '../accounts/change-account.ts'
import { accessRefusal, refuse, signInRefusal } from '../accounts/rules.ts'
import { type UserRow, withFactors } from '../accounts/users.ts'
import type { AuthContext } from '../context.ts'
import { hasSecondFactor } from '../factors/second-factor.ts'
import { forgetFirstPassword } from '../keys/app-secrets.ts'
import {
  clearLoginCookie,
  isFromDashboard,
  LOGIN_MAX_MS,
  readLoginCookie,
  rememberDevice,
  setLoginCookie,
} from './cookies.ts'
import { endLogin, isLoginAlive } from './revoke.ts'
import { type SessionObject, signRefreshToken, toSessionObject } from './tokens.ts'

/**
 * A fresh session for the tab that a person opens. The caller has made sure that this is a top-level navigation: the
 * cookie is good for nothing else.
 */
export async function bootSession(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SessionObject | null> {
  const cookie = readLoginCookie(request)
  if (cookie === null || cookie === '') return null
  // Anybody can send any text: only a login that is there is worth a transaction, for which others would wait.
  const opened = (await hasLogin(context.db, cookie))
    ? await change(context.db, (trx) => openTab(context, trx, cookie, request.headers['user-agent'] ?? ''))
    : null
  if (opened === null) {
    clearLoginCookie(reply)
    return null
  }
  return toSessionObject(context, await withFactors(context.db, opened.user), opened.session)
}

async function hasLogin(db: Db, cookie: string): Promise<boolean> {
  const login = await db
    .selectFrom('auth_logins')
    .select('id')
    .where('token_hash', '=', hashOpaqueToken(cookie))
    .executeTakeFirst()
  return login !== undefined
}

async function openTab(
  context: AuthContext,
  trx: Db,
  cookie: string,
  userAgent: string,
  now = new Date(),
): Promise<{ user: UserRow; session: OpenSession } | null> {
  const login = await trx
    .selectFrom('auth_logins')
    .selectAll()
    .where('token_hash', '=', hashOpaqueToken(cookie))
    .executeTakeFirst()
  if (login === undefined) return null
  const account = await LockedAccount.lock(trx, { userId: login.user_id })
  if (account === undefined) return null
  if (!isLoginAlive(login, now.getTime())) {
    await endLogin(account, login.id)
    return null
  }
  if (accessRefusal(account.user, now.getTime()) !== null) return null
  const touched = await trx
    .updateTable('auth_logins')
    .set({ last_used_at: now.toISOString() })
    .where('id', '=', login.id)
    .returning(['aal', 'amr'])
    .executeTakeFirst()
  // Signed out by another tab in this very moment.
  if (touched === undefined) return null
  // A tab is as sure of the person as the login that it comes from.
  const session = await openSession(context, account, { loginId: login.id, ...touched, userAgent }, now)
  return { user: account.user, session }
}

interface SignIn {
  request: FastifyRequest
  reply: FastifyReply
  userId: string
  amr: Amr
  /** Of the refusal of somebody who is banned or unconfirmed, as the protocol has it. */
  status: 400 | 403
  /** The refusal of an account that is gone. */
  unknown: () => Error
  /**
   * Part of the transaction, on the locked account: spends what proved the person, or throws when it is worth nothing any
   * more. False when there is no session yet.
   */
  admit: (account: LockedAccount) => Promise<boolean>
}

/** Opens a session for a person who has just proved who they are; a browser on the dashboard also gets its cookies. */
export async function signIn(
  context: AuthContext,
  { request, reply, userId, amr, status, unknown, admit }: SignIn,
): Promise<SessionObject | null> {
  const fromDashboard = isFromDashboard(request, context.origins)
  const userAgent = request.headers['user-agent'] ?? ''
  const network = coarseNetwork(clientAddress(request))
  const opened = await change(context.db, async (trx) => {
    const account = await LockedAccount.lock(trx, { userId })
    if (account === undefined) throw unknown()
    refuse(accessRefusal(account.user), status, unknown)
    if (!(await admit(account))) return null
    refuse(signInRefusal(account.user), status, unknown)
    const now = new Date()
    const aal = levelOf(account, amr)
    if (account.user.last_sign_in_at === null) await forgetFirstPassword(trx, userId)
    const user = await account.update({ last_sign_in_at: now.toISOString() })
    const login = fromDashboard ? await openLogin(account, { aal, amr, userAgent, network }, now) : null
    const session = await openSession(
      context,
      account,
      { loginId: login?.loginId ?? null, aal, amr, userAgent, network },
      now,
    )
    await account.audit('auth.signed_in', { subject: session.sessionId })
    return { user, login, session }
  })
  if (opened === null) return null
  if (opened.login !== null) {
    setLoginCookie(reply, opened.login.cookie)
    rememberDevice(request, reply, context.deviceSecret, opened.user.id, 'aal1')
  }
  return toSessionObject(context, await withFactors(context.db, opened.user), opened.session)
}

/**
 * A passkey is a device that has verified its owner, which is both factors at once: where a second one is asked for, it
 * has been shown. Without any, the session is of aal1, as the protocol has it.
 */
function levelOf(account: LockedAccount, amr: Amr): Aal {
  return amr.some(({ method }) => method === 'passkey') && hasSecondFactor(account) ? 'aal2' : 'aal1'
}

export type Aal = 'aal1' | 'aal2'

export type Amr = { method: string; timestamp: number }[]

export interface OpenSession {
  sessionId: string
  aal: Aal
  amr: Amr
  refreshToken: string
}

interface NewSession {
  /** The browser's login, when a cookie keeps one. */
  loginId: string | null
  aal: Aal
  amr: Amr
  userAgent: string
  /** Where it came from, as far as it is known. */
  network?: string | null
}

const USER_AGENT_MAX = 300

/** An account from before there was a limit comes down to it step by step. */
const ENDED_AT_ONCE = 1_000

export async function openSession(
  { refreshSecret }: Pick<AuthContext, 'refreshSecret'>,
  account: LockedAccount,
  session: NewSession,
  now = new Date(),
): Promise<OpenSession> {
  const { trx, user } = account
  const id = randomUUID()
  const at = now.toISOString()
  await trx
    .insertInto('auth_sessions')
    .values({
      id,
      user_id: user.id,
      login_id: session.loginId,
      aal: session.aal,
      amr: JSON.stringify(session.amr),
      user_agent: session.userAgent.slice(0, USER_AGENT_MAX),
      network: session.network ?? null,
      created_at: at,
      last_used_at: at,
    })
    .execute()
  await endBeyond(account, 'auth_sessions', id, KEPT_PER_ACCOUNT.sessions)
  const refreshToken = signRefreshToken(refreshSecret, id, 0)
  return { sessionId: id, aal: session.aal, amr: session.amr, refreshToken }
}

/** The parent of a browser's tabs. The token goes into the cookie and is kept only as its hash. */
export async function openLogin(
  account: LockedAccount,
  login: { aal: Aal; amr?: Amr; userAgent: string; network?: string | null },
  now = new Date(),
): Promise<{ loginId: string; cookie: string }> {
  const { trx, user } = account
  const loginId = randomUUID()
  const { token, hash } = makeOpaqueToken()
  await trx
    .insertInto('auth_logins')
    .values({
      id: loginId,
      user_id: user.id,
      token_hash: hash,
      aal: login.aal,
      amr: JSON.stringify(login.amr ?? passwordAmr(now.getTime())),
      user_agent: login.userAgent.slice(0, USER_AGENT_MAX),
      network: login.network ?? null,
      created_at: now.toISOString(),
      last_used_at: now.toISOString(),
      expires_at: new Date(now.getTime() + LOGIN_MAX_MS).toISOString(),
    })
    .execute()
  await endBeyond(account, 'auth_logins', loginId, KEPT_PER_ACCOUNT.logins)
  return { loginId, cookie: token }
}

/** Ends what an account has too many of, without what was just opened. */
async function endBeyond(
  { trx, user }: LockedAccount,
  table: 'auth_sessions' | 'auth_logins',
  opened: string,
  kept: number,
): Promise<void> {
  await trx
    .deleteFrom(table)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom(table)
        .select('id')
        .where('user_id', '=', user.id)
        .where('id', '!=', opened)
        .orderBy('aal', 'desc')
        .orderBy('last_used_at', 'desc')
        .limit(ENDED_AT_ONCE)
        .offset(kept - 1)
        // Two that open at once would wait for each other's rows.
        .$if(engineOf(trx) === 'postgres', (query) => query.forUpdate().skipLocked()),
    )
    .execute()
}

export function passwordAmr(now = Date.now()): Amr {
  return amrOf('password', now)
}

export function amrOf(method: 'password' | 'otp' | 'recovery' | 'invite' | 'passkey', now = Date.now()): Amr {
  return [{ method, timestamp: Math.floor(now / 1000) }]
}
