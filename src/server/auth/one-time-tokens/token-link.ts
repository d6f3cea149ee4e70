import type { Config } from '#server/config.ts'
import { authIssuer } from '../keys/key-ring.ts'
import type { IssuedToken } from './insert-token.ts'
import { typeOfKind } from './token-kind.ts'

/** The address that a mail carries. */
export function tokenLink(
  config: Config,
  { kind, token }: Pick<IssuedToken, 'kind' | 'token'>,
  redirectTo: string | null,
): string {
  const link = new URL(`${authIssuer(config)}/verify`)
  link.searchParams.set('token', token)
  link.searchParams.set('type', typeOfKind(kind))
  if (redirectTo !== null) link.searchParams.set('redirect_to', redirectTo)
  return link.href
}
