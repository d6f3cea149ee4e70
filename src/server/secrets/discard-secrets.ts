import type { Config } from '../config.ts'
import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import type { SecretPlace } from '../db/secret-port.ts'
import { lockKeyId, storeKeyId } from './key-id.ts'
import { openKeyRing } from './prepare-database.ts'
import { resealAll } from './reseal-all.ts'
import { SecretBox } from './secret-box.ts'
import type { SecretKey } from './secret-key.ts'
import type { SecretKeyRing } from './secret-key-ring.ts'

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
    const { sealed, unreadable } = await resealAll(trx, key, async (place, stored) =>
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
