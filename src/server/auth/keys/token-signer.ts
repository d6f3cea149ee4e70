import { compactVerify, type JWTPayload, SignJWT } from 'jose'
import type { SigningKey } from './signing-key.ts'

/** The claims that we read; what else a token carries is for its holder. */
export interface TokenClaims extends JWTPayload {
  role?: string
  session_id?: string
}

const CACHE_SIZE = 5_000

/** Signs and verifies with one key. A token that was verified once is remembered: the signature check is the dear part. */
export class TokenSigner {
  readonly key: SigningKey
  readonly #verified = new Map<string, TokenClaims>()

  constructor(key: SigningKey) {
    this.key = key
  }

  sign(claims: JWTPayload): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: this.key.alg, kid: this.key.kid, typ: 'JWT' })
      .sign(this.key.privateKey)
  }

  /** Signature only: whether it has expired is for the caller to judge. Null when it is not ours. */
  async verify(token: string): Promise<TokenClaims | null> {
    const known = this.#verified.get(token)
    if (known !== undefined) return known
    const claims = await this.#check(token)
    if (claims === null) return null
    if (this.#verified.size >= CACHE_SIZE) this.#verified.clear()
    this.#verified.set(token, claims)
    return claims
  }

  async #check(token: string): Promise<TokenClaims | null> {
    try {
      const { payload } = await compactVerify(token, this.key.publicKey, { algorithms: [this.key.alg] })
      const claims: unknown = JSON.parse(new TextDecoder().decode(payload))
      return typeof claims === 'object' && claims !== null ? (claims as TokenClaims) : null
    } catch {
      return null
    }
  }
}

export function isExpired(claims: TokenClaims, now = Date.now()): boolean {
  return typeof claims.exp === 'number' && claims.exp * 1000 <= now
}
