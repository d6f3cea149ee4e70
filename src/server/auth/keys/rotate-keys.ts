import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import type { SecretPort } from '#server/db/secret-port.ts'
import { replaceSecret } from './app-secret.ts'
import { makeSigningKey, SIGNING_KEY_SECRET } from './signing-key.ts'

/** Every key and every session that the old signing key vouched for ends; running servers notice within seconds. */
export async function rotateKeys(db: Db, secrets: SecretPort): Promise<void> {
  const key = await makeSigningKey()
  await change(db, async (trx) => {
    await replaceSecret(trx, secrets, SIGNING_KEY_SECRET, key)
    await trx.deleteFrom('auth_logins').execute()
    await trx.deleteFrom('auth_sessions').execute()
    await recordAudit(trx, { actor_id: null, actor: 'command line', action: 'auth.keys_rotated' })
  })
}
