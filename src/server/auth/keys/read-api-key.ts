import type { ApiKeyRole, Keys } from './key-ring.ts'
import { isExpired, type TokenClaims } from './token-signer.ts'

/** The protocol's two names for whoever holds the service key. */
const SERVICE_ROLES = ['service_role', 'supabase_admin']

/** What a token says as an API key: only one without a session is one, whatever role a login's token carries. */
export function apiKeyRole(claims: TokenClaims, { revoked }: Pick<Keys, 'revoked'>): ApiKeyRole | null {
  if (claims.session_id !== undefined || isExpired(claims) || revoked.has(claims.jti ?? '')) return null
  if (claims.role === 'anon') return 'anon'
  return SERVICE_ROLES.includes(claims.role ?? '') ? 'service_role' : null
}

export async function readApiKey(keys: Keys, header: unknown): Promise<ApiKeyRole | null> {
  if (typeof header !== 'string' || header === '') return null
  const claims = await keys.signer.verify(header)
  return claims === null ? null : apiKeyRole(claims, keys)
}

export function readBearer(header: string | undefined): string | null {
  return /^bearer +(\S+)$/i.exec(header ?? '')?.[1] ?? null
}
