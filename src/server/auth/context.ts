import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { PublicLimits } from '../http/limits/public.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { KeyRing } from './keys/key-ring.ts'
import type { PasswordHasher } from './passwords/passwords.ts'

/** What every operation of the auth module uses. */
export interface AuthContext {
  db: Db
  config: Config
  /** Encrypts and decrypts secrets in the database. */
  secrets: Secrets
  keys: KeyRing
  passwords: PasswordHasher
  /** Signs device cookies. */
  deviceSecret: string
  /** Signs refresh tokens. */
  refreshSecret: string
  /** Keys the hashes of codes that are short enough to guess. */
  codeSecret: string
  /** Called when a job of the outbox is stored. */
  wakeOutbox: () => void
  /** Limits for public calls. */
  limits: PublicLimits
  /** The dashboard's own origins. */
  origins: readonly string[]
}
