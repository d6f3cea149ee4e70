import { CompactEncrypt, compactDecrypt } from 'jose'
import type { SecretPlace } from '../db/secret-port.ts'
import type { SecretKey } from './secret-key.ts'

/** Encrypts for one row: the place is in the protected header, so whoever moves the text to another row breaks it. */
export function sealWith(key: SecretKey, place: SecretPlace, text: string): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: key.id, place: nameOf(place) })
    .encrypt(key.bytes)
}

/** Throws when the text was sealed with another key, for another place, or changed since. */
export async function openWith(key: SecretKey, place: SecretPlace, sealed: string): Promise<string> {
  const { plaintext, protectedHeader } = await compactDecrypt(sealed, key.bytes, {
    keyManagementAlgorithms: ['dir'],
    contentEncryptionAlgorithms: ['A256GCM'],
  })
  if (protectedHeader.place !== nameOf(place))
    throw new Error('a sealed text lies in a row that is not its own')
  return new TextDecoder().decode(plaintext)
}

function nameOf({ table, column, row }: SecretPlace): string {
  return `${table}.${column}/${row}`
}
