import { createHmac } from 'node:crypto'
import { isUnexpired } from '#server/db/time.ts'
import { isSameSecret } from '#server/secrets/tokens.ts'
import { toUserObject, type UserObject, type UserWithFactors } from '../accounts/users.ts'
import type { AuthContext } from '../context.ts'
import { authIssuer } from '../keys/key-ring.ts'
import { ACCESS_TOKEN_SECONDS } from '../keys/token-signer.ts'
import type { OpenSession } from './issue.ts'

const ID_BYTES = 16

const COUNTER_BYTES = 6

const SIGNED_BYTES = ID_BYTES + COUNTER_BYTES

/** The signed bytes and 32 bytes of HMAC-SHA-256, in base64url. */
const TOKEN_LENGTH = 72

/** A slow parallel call with an older token is not theft. */
const REUSE_WINDOW_MS = 10_000

export interface ShownToken {
  sessionId: string
  counter: number
}

/** The same session and number always give the same token. */
export function signRefreshToken(secret: string, sessionId: string, counter: number): string {
  const signed = Buffer.alloc(SIGNED_BYTES)
  signed.write(sessionId.replaceAll('-', ''), 'hex')
  signed.writeUIntBE(counter, ID_BYTES, COUNTER_BYTES)
  return Buffer.concat([signed, macOf(secret, signed)]).toString('base64url')
}

/** Null for anything that this server did not sign. */
export function readRefreshToken(secret: string, token: string): ShownToken | null {
  if (token.length !== TOKEN_LENGTH) return null
  const bytes = Buffer.from(token, 'base64url')
  const signed = bytes.subarray(0, SIGNED_BYTES)
  const mac = bytes.subarray(SIGNED_BYTES)
  const expected = macOf(secret, signed)
  if (!isSameSecret(mac, expected)) return null
  const hex = signed.toString('hex', 0, ID_BYTES)
  return {
    sessionId: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
    counter: signed.readUIntBE(ID_BYTES, COUNTER_BYTES),
  }
}

function macOf(secret: string, bytes: Buffer): Buffer {
  return createHmac('sha256', secret).update(bytes).digest()
}

type Refresh = { rotate: number } | { repeat: number } | 'reused'

/**
 * The result for a token with this number, if the session's newest has the number `current` and was made at
 * `refreshedAt`: the next number, the newest one again, or reuse.
 */
export function judgeRefresh(counter: number, current: number, refreshedAt: number, now: number): Refresh {
  // Ahead of the session after a restored backup.
  if (counter >= current) return { rotate: counter + 1 }
  // The response with the newest token was lost, or is still under way.
  if (counter === current - 1) return { repeat: current }
  const isRecent = isUnexpired(refreshedAt + REUSE_WINDOW_MS, REUSE_WINDOW_MS, now)
  return isRecent ? { repeat: current } : 'reused'
}

/** The protocol's session. */
export interface SessionObject {
  access_token: string
  token_type: 'bearer'
  expires_in: number
  expires_at: number
  refresh_token: string
  user: UserObject
}

export async function toSessionObject(
  context: AuthContext,
  user: UserWithFactors,
  session: OpenSession,
): Promise<SessionObject> {
  const { signer } = await context.keys.current()
  const now = Math.floor(Date.now() / 1000)
  const expiresAt = now + ACCESS_TOKEN_SECONDS
  const object = toUserObject(user)
  const accessToken = await signer.sign({
    iss: authIssuer(context.config),
    sub: user.id,
    aud: 'authenticated',
    exp: expiresAt,
    iat: now,
    email: user.email,
    phone: '',
    app_metadata: user.app_metadata,
    user_metadata: object.user_metadata,
    role: user.token_role,
    aal: session.aal,
    amr: session.amr,
    session_id: session.sessionId,
    is_anonymous: false,
  })
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    expires_at: expiresAt,
    refresh_token: session.refreshToken,
    user: object,
  }
}
