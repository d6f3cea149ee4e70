import { PRINCIPAL_CANNOT_BE_DELETED } from '#contract/admin-user.ts'
import { normalizeEmail } from '#contract/email-pattern.ts'
import type { Config } from '#server/config.ts'
import { AppError } from '#server/http/app-error.ts'

/** The one account that the configuration names: it can always get in, whoever else is locked out or removed. */
export function isPrincipal(config: Config, email: string): boolean {
  return normalizeEmail(email) === config.principal.email
}

export function refuseRemovalOfPrincipal(config: Config, email: string): void {
  if (isPrincipal(config, email))
    throw new AppError(422, 'principal_admin_protected', PRINCIPAL_CANNOT_BE_DELETED)
}

export function refuseChangeOfPrincipal(config: Config, email: string): void {
  if (isPrincipal(config, email))
    throw new AppError(
      422,
      'principal_admin_protected',
      'Este é o usuário administrador principal. Email e função não podem ser alterados.',
    )
}
