import { compactVerify, type JWK, type JWTPayload, SignJWT } from 'jose'
import { isUnexpired } from '#server/db/time.ts'
import type { SigningKey } from './key-ring.ts'

/** The claims that we read. */
export interface TokenClaims extends JWTPayload {
  role?: string
  session_id?: string
}

const CACHE_SIZE = 5_000
/** Lifetime of a session's access token. */
export const ACCESS_TOKEN_SECONDS = 3600

/** A former key; what it signed is valid until then. */
export interface VerifyingKey {
  key: SigningKey
  /** Null: as long as it is in the operator's file. */
  until: number | null
}

interface Verified {
  claims: TokenClaims
  until: number | null
}

/**
 * Signs with one key and verifies with all. A verified token is remembered, because the signature check is expensive.
 */
export class TokenSigner {
  readonly key: SigningKey
  readonly #keys: readonly VerifyingKey[]
  readonly #verified = new Map<string, Verified>()

  constructor(key: SigningKey, former: readonly VerifyingKey[] = []) {
    this.key = key
    this.#keys = [{ key, until: null }, ...former]
  }

  /** As published in the key set, the signing one first. */
  publicJwks(): JWK[] {
    return this.#keys.filter(isInForce).map(({ key }) => key.publicJwk)
  }

  sign(claims: JWTPayload): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: this.key.alg, kid: this.key.kid, typ: 'JWT' })
      .sign(this.key.privateKey)
  }

  /** Checks the signature only, not the expiry. Null if it is not ours. */
  async verify(token: string): Promise<TokenClaims | null> {
    const known = this.#verified.get(token)
    if (known !== undefined && isInForce(known)) return known.claims
    for (const { key, until } of this.#keys.filter(isInForce)) {
      const claims = await check(token, key)
      if (claims === null) continue
      if (this.#verified.size >= CACHE_SIZE) this.#verified.clear()
      this.#verified.set(token, { claims, until })
      return claims
    }
    return null
  }
}

function isInForce({ until }: { until: number | null }): boolean {
  return until === null || until > Date.now()
}

async function check(token: string, { publicKey, alg }: SigningKey): Promise<TokenClaims | null> {
  try {
    const { payload } = await compactVerify(token, publicKey, { algorithms: [alg] })
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload))
    return typeof claims === 'object' && claims !== null ? (claims as TokenClaims) : null
  } catch {
    return null
  }
}

/** An API key has its own expiry; a session's token lasts an hour, whatever the clock said when it was issued. */
export function isExpired(claims: TokenClaims, now = Date.now()): boolean {
  if (typeof claims.exp !== 'number') return false
  const endsAt = claims.exp * 1000
  return claims.session_id === undefined
    ? endsAt <= now
    : !isUnexpired(endsAt, ACCESS_TOKEN_SECONDS * 1000, now)
}
