/** One place where a person is signed in: a browser with its tabs, or a program with its own session. */
export interface OwnLogin {
  id: string
  /** The browser's user agent. */
  user_agent: string
  /** The network of the sign-in: a /24 of IPv4, a /48 of IPv6; null if unknown. */
  address: string | null
  created_at: string
  last_used_at: string
  /** The caller's own. */
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

/** `POST /admin/api/recovery-codes`: the only time that the codes are returned. */
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

/** A row of `admin_users`: an account joined with its admin role. */
export interface AdminUser {
  id: string
  email: string
  role: string
  /** Computed and read-only: marks the principal. */
  is_principal: boolean
  created_at: string
  updated_at: string
}

export const PRINCIPAL_CANNOT_BE_DELETED = 'Não é possível excluir o usuário administrador principal.'
