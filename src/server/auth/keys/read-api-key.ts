import type { ApiKeyRole } from './key-ring.ts'
import { isExpired, type TokenClaims, type TokenSigner } from './token-signer.ts'

/** The protocol's two names for whoever holds the service key. */
const SERVICE_ROLES = ['service_role', 'supabase_admin']

/** What a token says as an API key: only one without a session is one, whatever role a login's token carries. */
export function apiKeyRole(claims: TokenClaims): ApiKeyRole | null {
  if (claims.session_id !== undefined || isExpired(claims)) return null
  if (claims.role === 'anon') return 'anon'
  return SERVICE_ROLES.includes(claims.role ?? '') ? 'service_role' : null
}

export async function readApiKey(signer: TokenSigner, header: unknown): Promise<ApiKeyRole | null> {
  if (typeof header !== 'string' || header === '') return null
  const claims = await signer.verify(header)
  return claims === null ? null : apiKeyRole(claims)
}

export function readBearer(header: string | undefined): string | null {
  return /^bearer +(\S+)$/i.exec(header ?? '')?.[1] ?? null
}
