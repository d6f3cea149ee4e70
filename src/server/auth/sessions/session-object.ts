import type { AuthContext } from '../auth-context.ts'
import { authIssuer } from '../keys/key-ring.ts'
import { ACCESS_TOKEN_SECONDS } from '../keys/token-signer.ts'
import { toUserObject, type UserObject, type UserWithFactors } from '../users/user-object.ts'
import type { OpenSession } from './open-session.ts'

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
