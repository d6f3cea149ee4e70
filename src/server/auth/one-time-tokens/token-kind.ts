/** What a one-time token proves, and therefore what it may do. */
export type TokenKind =
  | 'recovery'
  | 'magiclink'
  | 'signup'
  | 'invite'
  | 'email_change_current'
  | 'email_change_new'
  | 'reauthentication'

/** The protocol's verification types and the tokens that each accepts. */
const KINDS_OF_TYPE: Record<string, readonly TokenKind[]> = {
  recovery: ['recovery'],
  magiclink: ['magiclink'],
  signup: ['signup'],
  invite: ['invite'],
  email: ['signup', 'magiclink'],
  email_change: ['email_change_current', 'email_change_new'],
}

export function kindsOfType(type: string): readonly TokenKind[] | undefined {
  return Object.hasOwn(KINDS_OF_TYPE, type) ? KINDS_OF_TYPE[type] : undefined
}

/** The type that a link of this kind names. */
export function typeOfKind(kind: TokenKind): string {
  return kind === 'email_change_current' || kind === 'email_change_new' ? 'email_change' : kind
}
