import { randomUUID } from 'node:crypto'
import { engineOf } from '#server/db/column-types.ts'
import { KEPT_PER_ACCOUNT } from '#server/http/limits.ts'
import { makeOpaqueToken } from '#server/http/opaque-token.ts'
import type { AuthContext } from '../auth-context.ts'
import type { LockedAccount } from '../users/change-account.ts'
import { LOGIN_MAX_MS } from './login-cookie.ts'
import { signRefreshToken } from './refresh-token.ts'

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
