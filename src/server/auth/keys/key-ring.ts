import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/database.ts'
import type { SecretPort } from '#server/db/secret-port.ts'
import { readRevokedKeys } from './api-keys.ts'
import { readSealedSecret } from './app-secret.ts'
import {
  FORMER_KEY_SECRET,
  importFormerKey,
  readFormerKeys,
  readSigningKeyFile,
  readStoredSigningKey,
  SIGNING_KEY_SECRET,
} from './signing-key.ts'
import { TokenSigner } from './token-signer.ts'

/** How soon a running server notices that an operator made a new key. */
const RECHECK_MS = 5_000

export type ApiKeyRole = 'anon' | 'service_role'

/** The keys that are in force now, with the public key's token made from the one that signs. */
export interface Keys {
  signer: TokenSigner
  anonKey: string
  /** Ids of service keys that are good no longer. */
  revoked: ReadonlySet<string>
}

export interface ServiceKey {
  id: string
  expiresAt: Date | null
}

export class KeyRing {
  readonly #db: Db
  readonly #secrets: SecretPort
  readonly #config: Config
  #keys: Keys
  /** What the keys were made from, as it is stored. */
  #stored: string
  /** By the monotonic clock. */
  #checkedAt = performance.now()

  private constructor(db: Db, secrets: SecretPort, config: Config, keys: Keys, stored: string) {
    this.#db = db
    this.#secrets = secrets
    this.#config = config
    this.#keys = keys
    this.#stored = stored
  }

  static async open(db: Db, secrets: SecretPort, config: Config): Promise<KeyRing> {
    // Read first: a key that is replaced between the two is then found at the next look.
    const stored = await readStored(db, config)
    return new KeyRing(db, secrets, config, await readKeys(db, secrets, config), stored)
  }

  async current(): Promise<Keys> {
    if (performance.now() - this.#checkedAt >= RECHECK_MS) await this.#recheck()
    return this.#keys
  }

  /** A key for scripts and automations. It is good until it expires, is revoked, or the signing key is replaced. */
  async makeServiceKey({ id, expiresAt }: ServiceKey): Promise<string> {
    const { signer } = await this.current()
    return signApiKey(signer, authIssuer(this.#config), 'service_role', {
      jti: id,
      ...(expiresAt === null ? {} : { exp: Math.floor(expiresAt.getTime() / 1000) }),
    })
  }

  async #recheck(): Promise<void> {
    this.#checkedAt = performance.now()
    const stored = await readStored(this.#db, this.#config)
    if (stored !== this.#stored) {
      this.#keys = await readKeys(this.#db, this.#secrets, this.#config)
      this.#stored = stored
    } else this.#keys = { ...this.#keys, revoked: await readRevokedKeys(this.#db) }
  }
}

/** The external address of the auth service. */
export function authIssuer(config: Config): string {
  return `${config.adminUrl ?? config.siteUrl}/auth/v1`
}

/** Another text means other keys. */
async function readStored(db: Db, { auth }: Config): Promise<string> {
  if (auth.signingKeyFile !== null) return ''
  const names = [SIGNING_KEY_SECRET, FORMER_KEY_SECRET]
  return JSON.stringify(await Promise.all(names.map((name) => readSealedSecret(db, name))))
}

async function readKeys(db: Db, secrets: SecretPort, config: Config): Promise<Keys> {
  const signer = await readSigner(db, secrets, config)
  return {
    signer,
    anonKey: await signApiKey(signer, authIssuer(config), 'anon'),
    revoked: await readRevokedKeys(db),
  }
}

async function readSigner(db: Db, secrets: SecretPort, { auth }: Config): Promise<TokenSigner> {
  if (auth.signingKeyFile !== null) {
    const [key, ...others] = await readSigningKeyFile(auth.signingKeyFile)
    return new TokenSigner(
      key,
      others.map((other) => ({ key: other, until: null })),
    )
  }
  const former = await Promise.all((await readFormerKeys(db, secrets)).map(importFormerKey))
  return new TokenSigner(await readStoredSigningKey(db, secrets), former)
}

function signApiKey(
  signer: TokenSigner,
  issuer: string,
  role: ApiKeyRole,
  more: { jti?: string; exp?: number } = {},
): Promise<string> {
  return signer.sign({ iss: issuer, role, iat: Math.floor(Date.now() / 1000), ...more })
}
