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
 * A session for a newly opened tab. The caller has checked that this is a top-level navigation: the cookie has no other
 * use.
 */
export async function bootSession(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SessionObject | null> {
  const cookie = readLoginCookie(request)
  if (cookie === null || cookie === '') return null
  // Anybody can send any text: only an existing login gets a transaction, for which others would wait.
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
  // Another tab signed out at this moment.
  if (touched === undefined) return null
  // A tab has the assurance level of its login.
  const session = await openSession(context, account, { loginId: login.id, ...touched, userAgent }, now)
  return { user: account.user, session }
}

interface SignIn {
  request: FastifyRequest
  reply: FastifyReply
  userId: string
  amr: Amr
  /** Status for a banned or unconfirmed person, as in the protocol. */
  status: 400 | 403
  /** The error for a deleted account. */
  unknown: () => Error
  /**
   * Runs in the transaction on the locked account: spends the proof, or throws if it is void. False if there is no
   * session yet.
   */
  admit: (account: LockedAccount) => Promise<boolean>
}

/**
 * Opens a session for a person who has just proved their identity; a browser on the dashboard also gets its cookies.
 */
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
 * A passkey means that a device verified its owner, which counts as both factors. Without a second factor the session
 * is `aal1`, as in the protocol.
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
  /** The browser's login, if a cookie keeps one. */
  loginId: string | null
  aal: Aal
  amr: Amr
  userAgent: string
  /** The network it came from, if known. */
  network?: string | null
}

const USER_AGENT_MAX = 300

/** An account from before the limit is reduced step by step. */
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

/** The parent of a browser's tabs. The token goes into the cookie; only its hash is stored. */
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

/** Ends the oldest beyond an account's limit, except the one just opened. */
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
        // Two concurrent sign-ins would wait for each other's rows.
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
