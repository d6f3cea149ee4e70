import type { Config } from '../config.ts'
import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { clearLeftovers, leftoversRemain } from './clear-leftovers.ts'
import { lockKeyId, readKeyId, storeKeyId } from './key-id.ts'
import { resealAll } from './reseal-all.ts'
import { SecretBox } from './secret-box.ts'
import { makeSecretKeyFile, readSecretKeyFile } from './secret-key-file.ts'
import { SecretKeyRing } from './secret-key-ring.ts'

/** Brings the database to the newest schema with everything secret sealed. With the wrong key it stops before it writes. */
export async function prepareDatabase(
  { secretKey }: Pick<Config, 'secretKey'>,
  db: Db,
  onProblem: (problem: Error) => void,
): Promise<SecretBox> {
  const ring = await openKeyRing(secretKey, await readKeyId(db))
  const { newer } = await migrate(db)
  if (newer.length > 0)
    onProblem(
      new Error(
        `O banco de dados é de uma versão mais nova deste programa (${newer.join(', ')}). Este processo continua com o que conhece; atualize-o.`,
      ),
    )
  await ring.find((await readKeyId(db)) ?? (await adoptFirstKey(db, ring)))
  // What is left over is no reason not to serve; the next start tries again.
  await clearLeftovers(db).catch((cause: unknown) => onProblem(leftoversRemain(cause)))
  return new SecretBox(ring)
}

/** `wanted` is the key that the database names: a new one is made only where there is none yet. */
export async function openKeyRing(
  { file, makeIfAbsent }: Config['secretKey'],
  wanted: string | null,
): Promise<SecretKeyRing> {
  const found = await readSecretKeyFile(file)
  const keys = found ?? (wanted === null && makeIfAbsent ? await makeSecretKeyFile(file) : [])
  const ring = new SecretKeyRing(file, keys)
  if (wanted !== null) ring.require(wanted)
  return ring
}

/**
 * The first start with a key: what lies open from an earlier version is sealed in the same transaction. Of two that come
 * at once one gives the database its key; both are told which it is.
 */
async function adoptFirstKey(db: Db, ring: SecretKeyRing): Promise<string> {
  return change(db, async (trx) => {
    const inForce = await lockKeyId(trx, 'update')
    if (inForce !== null) return inForce
    const key = ring.first
    const { sealed } = await resealAll(trx, key, async (_place, stored) => stored)
    await storeKeyId(trx, key.id, sealed === 0 ? new Date().toISOString() : null)
    return key.id
  })
}
