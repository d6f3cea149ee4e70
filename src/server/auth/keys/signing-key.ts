import { readFile } from 'node:fs/promises'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { ConfigError } from '#server/config.ts'
import type { Db } from '#server/db/database.ts'
import { closeKeyFile } from '#server/db/owner-only.ts'
import type { SecretPort } from '#server/db/secret-port.ts'
import { readOrMakeSecret, readSecret } from './app-secret.ts'
import type { VerifyingKey } from './token-signer.ts'

type SigningAlgorithm = 'ES256' | 'RS256'

export interface SigningKey {
  kid: string
  alg: SigningAlgorithm
  privateKey: CryptoKey
  publicKey: CryptoKey
  /** As the key set publishes it. */
  publicJwk: JWK
}

export const SIGNING_KEY_SECRET = 'signing_key'
/** Those before, each while what it signed still counts. */
export const FORMER_KEY_SECRET = 'former_signing_key'

export interface FormerKey {
  jwk: JWK
  until: string
}

/** As they are sealed: the newest, with the others inside, so that a process of an earlier version reads the newest. */
interface SealedFormerKeys extends FormerKey {
  earlier?: FormerKey[]
}

const PRIVATE_PARTS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** A JWK, a list of them or a key set: the forms in which operators keep such files. The first signs, all verify. */
export async function readSigningKeyFile(file: string): Promise<[SigningKey, ...SigningKey[]]> {
  closeKeyFile(file)
  try {
    const content: unknown = JSON.parse(await readFile(file, 'utf8'))
    const list = Array.isArray(content) ? content : ((content as { keys?: unknown[] }).keys ?? [content])
    const [first, ...others] = list as [JWK, ...JWK[]]
    return [await importSigningKey(first), ...(await Promise.all(others.map(importSigningKey)))]
  } catch {
    // Whatever the parser or the importer would say could quote the key.
    throw new ConfigError([
      'AUTH_SIGNING_KEY_FILE deve conter uma chave privada em JWK: EC na curva P-256 (ES256) ou RSA (RS256)',
    ])
  }
}

/** Made once and kept in the database, so that every replica signs with the same key. */
export async function readStoredSigningKey(db: Db, secrets: SecretPort): Promise<SigningKey> {
  const stored = await readOrMakeSecret(db, secrets, SIGNING_KEY_SECRET, makeSigningKey)
  return importSigningKey(JSON.parse(stored))
}

/** The newest first. */
export async function readFormerKeys(db: Db, secrets: SecretPort): Promise<FormerKey[]> {
  const stored = await readSecret(db, secrets, FORMER_KEY_SECRET)
  if (stored === null) return []
  const { earlier = [], ...newest } = JSON.parse(stored) as SealedFormerKeys
  return [newest, ...earlier]
}

export function writeFormerKeys([newest, ...earlier]: [FormerKey, ...FormerKey[]]): string {
  return JSON.stringify({ ...newest, earlier } satisfies SealedFormerKeys)
}

export async function importFormerKey({ jwk, until }: FormerKey): Promise<VerifyingKey> {
  return { key: await importSigningKey(jwk), until: Date.parse(until) }
}

export async function makeSigningKey(): Promise<string> {
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
