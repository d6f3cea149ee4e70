import type { Config } from '../config.ts'
import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'
import { lockKeyId, storeKeyId } from './key-id.ts'
import { openKeyRing } from './prepare-database.ts'
import { resealAll } from './reseal-all.ts'
import { SecretBox } from './secret-box.ts'
import { makeSecretKey, type SecretKey } from './secret-key.ts'
import { readSecretKeyFile, replaceSecretKeyFile } from './secret-key-file.ts'

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
    const { sealed } = await resealAll(trx, next, (place, stored) => box.open(place, stored))
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
