import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { change } from '../db/transactions/change.ts'
import { openKeyRing, reencryptAll } from './encrypted-database.ts'
import {
  makeSecretKey,
  readSecretKeyFile,
  replaceSecretKeyFile,
  type SecretKey,
  type SecretKeyRing,
} from './secret-key.ts'
import { lockKeyId, SecretBox, type SecretPlace, storeKeyId } from './secrets.ts'

export interface Discarded<T> {
  keyId: string
  kept: number
  /** The owner's report about lost secrets. */
  lost: T
}

/** Uses the available key. Secrets that it cannot decrypt go to `giveUp`, in the same transaction. */
export async function discardSecrets<T>(
  { secretKey }: Pick<Config, 'secretKey'>,
  db: Db,
  giveUp: (trx: Db, unreadable: readonly SecretPlace[]) => Promise<T>,
): Promise<Discarded<T>> {
  const ring = await openKeyRing(secretKey, null)
  const box = new SecretBox(ring)
  await migrate(db)
  return change(db, async (trx) => {
    const inForce = await lockKeyId(trx, 'update')
    const key = await keyAtHand(ring, inForce)
    const { encrypted, unreadable } = await reencryptAll(trx, key, async (place, stored) =>
      // A database of an earlier version: nothing is encrypted yet, and nothing is lost.
      inForce === null ? stored : box.tryDecrypt(place, stored),
    )
    const lost = await giveUp(trx, unreadable)
    await storeKeyId(trx, key.id, null)
    return { keyId: key.id, kept: encrypted, lost }
  })
}

/** The key in the database, if available: then only damaged values are lost. */
async function keyAtHand(ring: SecretKeyRing, inForce: string | null): Promise<SecretKey> {
  return inForce === null ? ring.first : ring.find(inForce).catch(() => ring.first)
}

/**
 * The three steps of a key rotation. After each, and after a kill at any moment, the file contains the key that the
 * database names; running the command again continues.
 *
 * Keys in the file are in the order in which they come into force: former ones before the current one, the next one
 * behind it.
 */

/** First step: adds the next key to the file. */
export async function addNextKey(file: string, inForce: string): Promise<SecretKey> {
  const keys = (await readSecretKeyFile(file)) ?? []
  const known = keys[indexOf(keys, inForce) + 1]
  if (known !== undefined) return known
  const next = await makeSecretKey()
  await replaceSecretKeyFile(file, [...keys, next])
  return next
}

/** Second step: encrypts everything with the next key and stores its id, in one transaction. */
export async function switchToKey(db: Db, secretKey: Config['secretKey'], next: SecretKey): Promise<number> {
  return change(db, async (trx) => {
    const box = new SecretBox(await openKeyRing(secretKey, await lockKeyId(trx, 'update')))
    const { encrypted } = await reencryptAll(trx, next, (place, stored) => box.decrypt(place, stored))
    await storeKeyId(trx, next.id, null)
    return encrypted
  })
}

/** Third step: removes former keys from the file. Returns how many. */
export async function dropFormerKeys(file: string, inForce: string): Promise<number> {
  const keys = (await readSecretKeyFile(file)) ?? []
  const former = indexOf(keys, inForce)
  if (former > 0) await replaceSecretKeyFile(file, keys.slice(former))
  return Math.max(former, 0)
}

function indexOf(keys: readonly SecretKey[], id: string): number {
  return keys.findIndex((key) => key.id === id)
}
