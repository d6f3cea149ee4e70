import { readFile } from 'node:fs/promises'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { recordAudit } from '#server/activity/trail.ts'
import { type Config, ConfigError } from '#server/config.ts'
import { closeKeyFile } from '#server/db/data-directory.ts'
import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/dialect.ts'
import { change } from '#server/db/transactions/change.ts'
import { OPERATOR_ACTOR } from '#server/http/security/administrators.ts'
import type { Secrets } from '#server/secrets/secrets.ts'
import { endEverySession } from '../sessions/revoke.ts'
import { readRevokedKeys } from './api-keys.ts'
import {
  readEncryptedSecret,
  readOrMakeSecret,
  readSecret,
  replaceSecret,
  SIGNING_KEY_SECRET,
} from './app-secrets.ts'
import { TokenSigner, type VerifyingKey } from './token-signer.ts'

/** How soon a running server notices a new key. */
const RECHECK_MS = 5_000

export type ApiKeyRole = 'anon' | 'service_role'

/** The current keys, and the public API key made from the signing one. */
export interface Keys {
  signer: TokenSigner
  anonKey: string
  /** Ids of revoked service keys. */
  revoked: ReadonlySet<string>
}

interface ServiceKey {
  id: string
  expiresAt: Date | null
}

export class KeyRing {
  readonly #db: Db
  readonly #secrets: Secrets
  readonly #config: Config
  #keys: Keys
  /** The stored text that the keys were made from. */
  #stored: string
  /** Monotonic clock. */
  #checkedAt = performance.now()

  private constructor(db: Db, secrets: Secrets, config: Config, keys: Keys, stored: string) {
    this.#db = db
    this.#secrets = secrets
    this.#config = config
    this.#keys = keys
    this.#stored = stored
  }

  static async open(db: Db, secrets: Secrets, config: Config): Promise<KeyRing> {
    // Read first: a key that is replaced between the two reads is then found by the next check.
    const stored = await readStored(db, config)
    return new KeyRing(db, secrets, config, await readKeys(db, secrets, config), stored)
  }

  async current(): Promise<Keys> {
    if (performance.now() - this.#checkedAt >= RECHECK_MS) await this.#recheck()
    return this.#keys
  }

  /** A key for programs. It is valid until it expires, is revoked, or the signing key is replaced. */
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
  return `${config.dashboardUrl}/auth/v1`
}

/** A different text means different keys. */
async function readStored(db: Db, { auth }: Config): Promise<string> {
  if (auth.signingKeyFile !== null) return ''
  const names = [SIGNING_KEY_SECRET, FORMER_KEY_SECRET]
  return JSON.stringify(await Promise.all(names.map((name) => readEncryptedSecret(db, name))))
}

async function readKeys(db: Db, secrets: Secrets, config: Config): Promise<Keys> {
  const signer = await readSigner(db, secrets, config)
  return {
    signer,
    anonKey: await signApiKey(signer, authIssuer(config), 'anon'),
    revoked: await readRevokedKeys(db),
  }
}

async function readSigner(db: Db, secrets: Secrets, { auth }: Config): Promise<TokenSigner> {
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

/**
 * Makes a new signing key; running servers notice within seconds. What former keys signed stays valid until the end of
 * their own overlap. Without an overlap, all former keys and all sessions end at once.
 */
export async function rotateKeys(db: Db, secrets: Secrets, overlapMs: number): Promise<void> {
  await readOrMakeSecret(db, secrets, SIGNING_KEY_SECRET, makeSigningKey)
  const next = await makeSigningKey()
  const now = Date.now()
  const until = overlapMs > 0 ? new Date(now + overlapMs).toISOString() : null
  await change(db, async (trx) => {
    // Of two concurrent rotations, the second finds the first one's key.
    await locked(
      trx,
      trx.selectFrom('app_secrets').select('name').where('name', '=', SIGNING_KEY_SECRET),
    ).executeTakeFirstOrThrow()
    if (until === null) {
      await trx.deleteFrom('app_secrets').where('name', '=', FORMER_KEY_SECRET).execute()
      await endEverySession(trx)
    } else {
      const current = (await readSecret(trx, secrets, SIGNING_KEY_SECRET)) ?? ''
      const newest: FormerKey = { jwk: JSON.parse(current), until }
      const earlier = await readFormerKeys(trx, secrets)
      const kept = earlier.filter((key) => Date.parse(key.until) > now)
      await replaceSecret(trx, secrets, FORMER_KEY_SECRET, writeFormerKeys([newest, ...kept]))
    }
    await replaceSecret(trx, secrets, SIGNING_KEY_SECRET, next)
    await recordAudit(trx, {
      ...OPERATOR_ACTOR,
      action: 'auth.keys_rotated',
      after: { former_until: until },
    })
  })
}

type SigningAlgorithm = 'ES256' | 'RS256'

export interface SigningKey {
  kid: string
  alg: SigningAlgorithm
  privateKey: CryptoKey
  publicKey: CryptoKey
  /** As published in the key set. */
  publicJwk: JWK
}

/** Former keys, each until the end of its overlap. */
const FORMER_KEY_SECRET = 'former_signing_key'

interface FormerKey {
  jwk: JWK
  until: string
}

/** The encrypted form: the newest, with the others inside, so that an earlier version reads the newest. */
interface EncryptedFormerKeys extends FormerKey {
  earlier?: FormerKey[]
}

const PRIVATE_PARTS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** Reads a JWK, a list of them or a key set. The first signs, all verify. */
async function readSigningKeyFile(file: string): Promise<[SigningKey, ...SigningKey[]]> {
  closeKeyFile(file)
  try {
    const content: unknown = JSON.parse(await readFile(file, 'utf8'))
    const list = Array.isArray(content) ? content : ((content as { keys?: unknown[] }).keys ?? [content])
    const [first, ...others] = list as [JWK, ...JWK[]]
    return [await importSigningKey(first), ...(await Promise.all(others.map(importSigningKey)))]
  } catch {
    // Errors of the parser or importer could quote the key.
    throw new ConfigError([
      'AUTH_SIGNING_KEY_FILE precisa ser uma chave privada em JWK: EC P-256 (ES256) ou RSA (RS256).',
    ])
  }
}

/** Made once and stored in the database, so that every process signs with the same key. */
async function readStoredSigningKey(db: Db, secrets: Secrets): Promise<SigningKey> {
  const stored = await readOrMakeSecret(db, secrets, SIGNING_KEY_SECRET, makeSigningKey)
  return importSigningKey(JSON.parse(stored))
}

/** Newest first. */
async function readFormerKeys(db: Db, secrets: Secrets): Promise<FormerKey[]> {
  const stored = await readSecret(db, secrets, FORMER_KEY_SECRET)
  if (stored === null) return []
  const { earlier = [], ...newest } = JSON.parse(stored) as EncryptedFormerKeys
  return [newest, ...earlier]
}

function writeFormerKeys([newest, ...earlier]: [FormerKey, ...FormerKey[]]): string {
  return JSON.stringify({ ...newest, earlier } satisfies EncryptedFormerKeys)
}

async function importFormerKey({ jwk, until }: FormerKey): Promise<VerifyingKey> {
  return { key: await importSigningKey(jwk), until: Date.parse(until) }
}

async function makeSigningKey(): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return JSON.stringify(await exportJWK(privateKey))
}

async function importSigningKey(jwk: JWK): Promise<SigningKey> {
  const alg = algorithmOf(jwk)
  if (typeof jwk.d !== 'string') throw new Error('the signing key must be a private JWK')
  const kid = jwk.kid ?? (await calculateJwkThumbprint(jwk))
  const { use: _use, key_ops: _ops, ...bare } = jwk
  const publicParts = Object.fromEntries(
    Object.entries(bare).filter(([name]) => !PRIVATE_PARTS.includes(name)),
  ) as JWK
  return {
    kid,
    alg,
    privateKey: (await importJWK({ ...bare, alg }, alg)) as CryptoKey,
    publicKey: (await importJWK({ ...publicParts, alg }, alg)) as CryptoKey,
    publicJwk: { ...publicParts, kid, alg, use: 'sig', key_ops: ['verify'] },
  }
}

function algorithmOf(jwk: JWK): SigningAlgorithm {
  if (jwk.kty === 'EC' && jwk.crv === 'P-256') return 'ES256'
  if (jwk.kty === 'RSA' && (jwk.alg ?? 'RS256') === 'RS256') return 'RS256'
  throw new Error('the signing key must be an EC key on P-256 (ES256) or an RSA key (RS256)')
}
