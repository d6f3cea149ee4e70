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
  /** What the owner of the secrets says of those that were lost. */
  lost: T
}

/** Takes the key that is at hand. Secrets that it does not open go to `giveUp`, in the same transaction. */
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
    const { sealed, unreadable } = await reencryptAll(trx, key, async (place, stored) =>
      // A database of an earlier version: nothing is sealed yet, and nothing is lost.
      inForce === null ? stored : box.tryOpen(place, stored),
    )
    const lost = await giveUp(trx, unreadable)
    await storeKeyId(trx, key.id, null)
    return { keyId: key.id, kept: sealed, lost }
  })
}

/** The one that the database names if it is there: then only what was damaged is lost. */
async function keyAtHand(ring: SecretKeyRing, inForce: string | null): Promise<SecretKey> {
  return inForce === null ? ring.first : ring.find(inForce).catch(() => ring.first)
}

/**
 * The three steps of a change of key. After each of them, and after a kill in the middle of any, the file holds the key
 * that the database names; whoever runs the command again goes on where it stopped.
 *
 * In the file the keys stand in the order in which they come into force: before the one in force are former ones, behind
 * it is the next.
 */

/** First step: the file holds the next key too. */
export async function addNextKey(file: string, inForce: string): Promise<SecretKey> {
  const keys = (await readSecretKeyFile(file)) ?? []
  const known = keys[indexOf(keys, inForce) + 1]
  if (known !== undefined) return known
  const next = await makeSecretKey()
  await replaceSecretKeyFile(file, [...keys, next])
  return next
}

/** Second step: everything is sealed with the next key, and the database names it, in one transaction. */
export async function switchToKey(db: Db, secretKey: Config['secretKey'], next: SecretKey): Promise<number> {
  return change(db, async (trx) => {
    const box = new SecretBox(await openKeyRing(secretKey, await lockKeyId(trx, 'update')))
    const { sealed } = await reencryptAll(trx, next, (place, stored) => box.open(place, stored))
    await storeKeyId(trx, next.id, null)
    return sealed
  })
}

/** Third step: former keys leave the file. How many did. */
export async function dropFormerKeys(file: string, inForce: string): Promise<number> {
  const keys = (await readSecretKeyFile(file)) ?? []
  const former = indexOf(keys, inForce)
  if (former > 0) await replaceSecretKeyFile(file, keys.slice(former))
  return Math.max(former, 0)
}

function indexOf(keys: readonly SecretKey[], id: string): number {
  return keys.findIndex((key) => key.id === id)
}
