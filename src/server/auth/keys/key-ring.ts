import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/database.ts'
import type { SecretPort } from '#server/db/secret-port.ts'
import { readSealedSecret } from './app-secret.ts'
import {
  readSigningKeyFile,
  readStoredSigningKey,
  SIGNING_KEY_SECRET,
  type SigningKey,
} from './signing-key.ts'
import { TokenSigner } from './token-signer.ts'

/** How soon a running server notices that an operator made a new key. */
const RECHECK_MS = 5_000

export type ApiKeyRole = 'anon' | 'service_role'

/** The key that is in force now, with the public key's token made from it. */
export interface Keys {
  signer: TokenSigner
  anonKey: string
}

export class KeyRing {
  readonly #db: Db
  readonly #secrets: SecretPort
  readonly #issuer: string
  readonly #fromFile: boolean
  #keys: Keys
  #stored: string | null
  /** By the monotonic clock. */
  #checkedAt = performance.now()

  private constructor(db: Db, secrets: SecretPort, config: Config, keys: Keys, stored: string | null) {
    this.#db = db
    this.#secrets = secrets
    this.#issuer = authIssuer(config)
    this.#fromFile = config.auth.signingKeyFile !== null
    this.#keys = keys
    this.#stored = stored
  }

  static async open(db: Db, secrets: SecretPort, config: Config): Promise<KeyRing> {
    const file = config.auth.signingKeyFile
    const key = file === null ? await readStoredSigningKey(db, secrets) : await readSigningKeyFile(file)
    const stored = file === null ? await readSealedSecret(db, SIGNING_KEY_SECRET) : null
    return new KeyRing(db, secrets, config, await makeKeys(key, authIssuer(config)), stored)
  }

  async current(): Promise<Keys> {
    if (!this.#fromFile && performance.now() - this.#checkedAt >= RECHECK_MS) await this.#recheck()
    return this.#keys
  }

  /** A key for scripts and automations. Every one that was ever made from this key is good until it is replaced. */
  async makeServiceKey(): Promise<string> {
    return signApiKey((await this.current()).signer, this.#issuer, 'service_role')
  }

  async #recheck(): Promise<void> {
    this.#checkedAt = performance.now()
    const stored = await readSealedSecret(this.#db, SIGNING_KEY_SECRET)
    if (stored === this.#stored) return
    this.#keys = await makeKeys(await readStoredSigningKey(this.#db, this.#secrets), this.#issuer)
    this.#stored = stored
  }
}

/** The external address of the auth service. */
export function authIssuer(config: Config): string {
  return `${config.adminUrl ?? config.siteUrl}/auth/v1`
}

async function makeKeys(key: SigningKey, issuer: string): Promise<Keys> {
  const signer = new TokenSigner(key)
  return { signer, anonKey: await signApiKey(signer, issuer, 'anon') }
}

function signApiKey(signer: TokenSigner, issuer: string, role: ApiKeyRole): Promise<string> {
  return signer.sign({ iss: issuer, role, iat: Math.floor(Date.now() / 1000) })
}
