import type { Generated } from 'kysely'
import type { Json, Timestamp } from './index.ts'

export interface AuthUsers {
  id: string
  email: string
  password_hash: string | null
  /** The protocol's database role in tokens; it grants nothing here. */
  token_role: Generated<string>
  user_metadata: Json<Record<string, unknown>>
  app_metadata: Json<Record<string, unknown>>
  email_confirmed_at: Timestamp | null
  /** Since when the address is verified: its owner used an emailed token, or an administrator created the account. */
  mailbox_proved_at: Timestamp | null
  invited_at: Timestamp | null
  confirmation_sent_at: Timestamp | null
  recovery_sent_at: Timestamp | null
  new_email: string | null
  email_change_sent_at: Timestamp | null
  reauthentication_sent_at: Timestamp | null
  last_sign_in_at: Timestamp | null
  banned_until: Timestamp | null
  deleted_at: Timestamp | null
  created_at: Timestamp
  updated_at: Timestamp
}

interface AdminRoles {
  user_id: string
  role: string
  created_at: Timestamp
  updated_at: Timestamp
}

/** One per browser sign-in: the target of the navigation-only cookie, and the parent of that browser's tabs. */
interface AuthLogins {
  id: string
  user_id: string
  token_hash: string
  aal: 'aal1' | 'aal2'
  amr: Json<{ method: string; timestamp: number }[]>
  user_agent: string
  /** Null for older rows. */
  network: string | null
  created_at: Timestamp
  last_used_at: Timestamp
  expires_at: Timestamp
}

/** One per tab, or per program with its own session. */
export interface AuthSessions {
  id: string
  user_id: string
  login_id: string | null
  aal: 'aal1' | 'aal2'
  amr: Json<{ method: string; timestamp: number }[]>
  user_agent: string
  /** As in `auth_logins`; null for a tab, whose login has it. */
  network: string | null
  created_at: Timestamp
  last_used_at: Timestamp
  /** The number in the newest refresh token. */
  refresh_counter: Generated<number>
  /** When that token was made; null for a session that was never refreshed. */
  refreshed_at: Timestamp | null
}

/** Refresh tokens from before sessions counted them: read until their session ends, no longer written. */
interface AuthRefreshTokens {
  id: string
  session_id: string
  token_hash: string
  parent_id: string | null
  /** When it was exchanged. */
  used_at: Timestamp | null
  /** When it became invalid without use: its parent was used again. */
  retired_at: Timestamp | null
  created_at: Timestamp
}

export interface AuthFactors {
  id: string
  user_id: string
  friendly_name: string
  /** The table's check allows nothing else; `kind` holds the type. */
  factor_type: 'totp'
  kind: Generated<'totp' | 'webauthn'>
  status: 'unverified' | 'verified'
  /** Encrypted; an encrypted empty text for a hardware key. */
  secret: string
  /** The last accepted time step: a code works once. */
  last_used_step: number | null
  last_challenged_at: Timestamp | null
  created_at: Timestamp
  updated_at: Timestamp
}

/** The public key of an authenticator. */
export interface AuthPasskeys {
  id: string
  user_id: string
  /** Set for the key of a second factor, which cannot sign in. */
  factor_id: string | null
  /** The authenticator's id, base64url. */
  credential_id: string
  /** COSE, base64url. */
  public_key: string
  sign_count: number
  transports: Json<string[]>
  friendly_name: string
  created_at: Timestamp
  updated_at: Timestamp
  last_used_at: Timestamp | null
}

/** An answered WebAuthn challenge; others are not stored. */
interface AuthSpentChallenges {
  id: string
  expires_at: Timestamp
}

interface AuthChallenges {
  id: string
  factor_id: string
  created_at: Timestamp
  expires_at: Timestamp
  verified_at: Timestamp | null
}

interface AuthRecoveryCodes {
  id: string
  user_id: string
  code_hash: string
  used_at: Timestamp | null
  created_at: Timestamp
}

export interface AuthOneTimeTokens {
  id: string
  user_id: string
  kind: string
  /** Hash of the token in the link. */
  token_hash: string
  /** Hash of the six digits. */
  code_hash: string | null
  /** The address that it was sent to. */
  sent_to: string
  /** Wrong guesses at the six digits so far. */
  attempts: Generated<number>
  created_at: Timestamp
  expires_at: Timestamp
  used_at: Timestamp | null
  /** For a link that leads to `redirect_to` with a code: the required hash of the verifier. */
  code_challenge: string | null
  redirect_to: string | null
}

/** What a link to a listed address carries instead of its token. */
interface AuthLinkCodes {
  id: string
  token_id: string
  code_hash: string
  created_at: Timestamp
  expires_at: Timestamp
}

/** A service key: its id is in the key itself, which is not stored. */
interface AuthApiKeys {
  id: string
  name: string
  created_at: Timestamp
  expires_at: Timestamp | null
  revoked_at: Timestamp | null
}

/** Accounts and credentials. */
export interface AuthTables {
  auth_users: AuthUsers
  admin_roles: AdminRoles
  auth_logins: AuthLogins
  auth_sessions: AuthSessions
  auth_refresh_tokens: AuthRefreshTokens
  auth_factors: AuthFactors
  auth_passkeys: AuthPasskeys
  auth_spent_challenges: AuthSpentChallenges
  auth_challenges: AuthChallenges
  auth_recovery_codes: AuthRecoveryCodes
  auth_one_time_tokens: AuthOneTimeTokens
  auth_link_codes: AuthLinkCodes
  auth_api_keys: AuthApiKeys
}
