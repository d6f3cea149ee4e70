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
