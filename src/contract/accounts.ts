/** One place where a person is signed in: a browser with its tabs, or a program with a session of its own. */
export interface OwnLogin {
  id: string
  /** As the browser names itself. */
  user_agent: string
  /** The network that it signed in from: a /24 of IPv4, a /48 of IPv6; null when nobody knows. */
  address: string | null
  created_at: string
  last_used_at: string
  /** The one that asks. */
  current: boolean
}

/** `GET /admin/api/logins` */
export interface OwnLogins {
  logins: OwnLogin[]
}

/** `GET /admin/api/recovery-codes` and `POST /admin/api/recovery-codes/use` */
export interface RecoveryCodesLeft {
  left: number
}

/** `POST /admin/api/recovery-codes`: the only time that the codes are told. */
export interface NewRecoveryCodes {
  codes: string[]
}

export const ADMIN_ROLES = ['admin', 'super_admin'] as const

export const ADMIN_ROLE_LABELS: Readonly<Record<string, string>> = {
  admin: 'Admin',
  super_admin: 'Super Admin',
}

export function roleLabel(role: string): string {
  return ADMIN_ROLE_LABELS[role] ?? 'Usuário'
}

export const PASSWORD_MIN_LENGTH = 8

export const PASSWORD_MAX_LENGTH = 128

/** A row of the wire resource `admin_users`: the join of a login and its admin role. */
export interface AdminUser {
  id: string
  email: string
  role: string
  /** Computed and read-only; how the screens know the principal admin. */
  is_principal: boolean
  created_at: string
  updated_at: string
}

export const PRINCIPAL_CANNOT_BE_DELETED = 'Não é possível excluir o usuário administrador principal.'
