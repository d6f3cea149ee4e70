import { decodeProtectedHeader } from 'jose'
import type { Db } from '../db/database.ts'
import type { SecretPlace, SecretPort } from '../db/secret-port.ts'
import { lockKeyId } from './key-id.ts'
import { openWith, sealWith } from './seal.ts'
import { SecretKeyError } from './secret-key-error.ts'
import type { SecretKeyRing } from './secret-key-ring.ts'

/** Keeps texts unreadable in the database. It follows a change of key while the process runs. */
export class SecretBox implements SecretPort {
  readonly #ring: SecretKeyRing

  constructor(ring: SecretKeyRing) {
    this.#ring = ring
  }

  async seal(trx: Db, place: SecretPlace, text: string): Promise<string> {
    const id = await lockKeyId(trx, 'share')
    if (id === null) throw new SecretKeyError('O banco de dados não tem chave de segredos.')
    return sealWith(await this.#ring.find(id), place, text)
  }

  async open(place: SecretPlace, sealed: string): Promise<string> {
    return openWith(await this.#ring.find(kidOf(sealed)), place, sealed)
  }

  /** Null for what no key at hand opens. */
  async tryOpen(place: SecretPlace, sealed: string): Promise<string | null> {
    return this.open(place, sealed).catch(() => null)
  }
}

function kidOf(sealed: string): string {
  const { kid } = decodeProtectedHeader(sealed)
  if (typeof kid !== 'string') throw new Error('a sealed text names no key')
  return kid
}
