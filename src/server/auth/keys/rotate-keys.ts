import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/locked.ts'
import type { SecretPort } from '#server/db/secret-port.ts'
import { endEverySession } from '../sessions/end-sessions.ts'
import { readOrMakeSecret, readSecret, replaceSecret } from './app-secret.ts'
import {
  FORMER_KEY_SECRET,
  type FormerKey,
  makeSigningKey,
  readFormerKeys,
  SIGNING_KEY_SECRET,
  writeFormerKeys,
} from './signing-key.ts'

/**
 * A new key signs from now on; running servers notice within seconds. What the former one signed is good for as long as
 * the two overlap, and so is what each key before it signed, until its own end. Without an overlap every key and every
 * session that they vouched for ends at once.
 */
export async function rotateKeys(db: Db, secrets: SecretPort, overlapMs: number): Promise<void> {
  await readOrMakeSecret(db, secrets, SIGNING_KEY_SECRET, makeSigningKey)
  const next = await makeSigningKey()
  const now = Date.now()
  const until = overlapMs > 0 ? new Date(now + overlapMs).toISOString() : null
  await change(db, async (trx) => {
    // Of two rotations at once the second finds the key of the first.
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
      actor_id: null,
      actor: 'command line',
      action: 'auth.keys_rotated',
      after: { former_until: until },
    })
  })
}
