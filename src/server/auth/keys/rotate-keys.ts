import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import type { SecretPort } from '#server/db/secret-port.ts'
import { readOrMakeSecret, replaceSecret } from './app-secret.ts'
import { FORMER_KEY_SECRET, type FormerKey, makeSigningKey, SIGNING_KEY_SECRET } from './signing-key.ts'

/**
 * A new key signs from now on; running servers notice within seconds. What the former one signed is good for as long as
 * the two overlap. Without an overlap every key and every session that it vouched for ends at once.
 */
export async function rotateKeys(db: Db, secrets: SecretPort, overlapMs: number): Promise<void> {
  const former = await readOrMakeSecret(db, secrets, SIGNING_KEY_SECRET, makeSigningKey)
  const next = await makeSigningKey()
  const kept: FormerKey = { jwk: JSON.parse(former), until: new Date(Date.now() + overlapMs).toISOString() }
  await change(db, async (trx) => {
    await replaceSecret(trx, secrets, SIGNING_KEY_SECRET, next)
    if (overlapMs > 0) await replaceSecret(trx, secrets, FORMER_KEY_SECRET, JSON.stringify(kept))
    else {
      await trx.deleteFrom('app_secrets').where('name', '=', FORMER_KEY_SECRET).execute()
      await trx.deleteFrom('auth_logins').execute()
      await trx.deleteFrom('auth_sessions').execute()
    }
    await recordAudit(trx, {
      actor_id: null,
      actor: 'command line',
      action: 'auth.keys_rotated',
      after: { former_until: overlapMs > 0 ? kept.until : null },
    })
  })
}
