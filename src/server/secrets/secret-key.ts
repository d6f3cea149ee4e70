import { randomBytes } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose'

const KEY_BYTES = 32

export interface SecretKey {
  /** The key's thumbprint (RFC 7638). It tells nothing of a key that is random and this long. */
  readonly id: string
  readonly bytes: Uint8Array
}

export async function makeSecretKey(): Promise<SecretKey> {
  return fromBytes(new Uint8Array(randomBytes(KEY_BYTES)))
}

/** A key set (RFC 7517), the key that new keys are added behind first. */
export async function formatSecretKeys(keys: readonly SecretKey[]): Promise<string> {
  const list = keys.map(async ({ id, bytes }) => ({ ...(await exportJWK(bytes)), kid: id, alg: 'A256GCM' }))
  return `${JSON.stringify({ keys: await Promise.all(list) }, null, 2)}\n`
}

/** Takes a key set or a single key; null when it is neither. Nothing of what was read may get into a message. */
export async function parseSecretKeys(text: string): Promise<SecretKey[] | null> {
  try {
    const content = JSON.parse(text) as { keys?: JWK[] } & JWK
    const keys = await Promise.all((content.keys ?? [content]).map(fromJwk))
    return keys.length > 0 ? keys : null
  } catch {
    return null
  }
}

function fromJwk({ kty, k }: JWK): Promise<SecretKey> {
  const bytes = new Uint8Array(Buffer.from(k ?? '', 'base64url'))
  if (kty !== 'oct' || bytes.length !== KEY_BYTES) throw new Error('not a key of 256 bits')
  return fromBytes(bytes)
}

async function fromBytes(bytes: Uint8Array): Promise<SecretKey> {
  return { id: await calculateJwkThumbprint(await exportJWK(bytes)), bytes }
}
