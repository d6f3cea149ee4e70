import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { PublicLimits } from '../http/limits/public.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { KeyRing } from './keys/key-ring.ts'
import type { PasswordHasher } from './passwords/passwords.ts'

/** What every operation of the auth service works with. */
export interface AuthContext {
  db: Db
  config: Config
  /** Seals and opens what must not be read in the database. */
  secrets: Secrets
  keys: KeyRing
  passwords: PasswordHasher
  /** Signs the cookies by which a browser is known again. */
  deviceSecret: string
  /** Signs refresh tokens. */
  refreshSecret: string
  /** Keys the hashes of codes that are short enough to be guessed. */
  codeSecret: string
  /** Called when a job of the outbox is durable. */
  wakeOutbox: () => void
  /** How often anyone may call. */
  limits: PublicLimits
  /** The dashboard's own origins. */
  origins: readonly string[]
}
