const TYPES = ['recovery', 'invite', 'magiclink', 'signup', 'email_change'] as const

/** What a link in a mail asks for; `broken` when the server already knew that it leads nowhere. */
export type MailLink = { type: (typeof TYPES)[number]; tokenHash: string } | { type: 'broken' }

/** Reads the one-time token out of the address and removes it there, so that neither history nor a copied link keeps it. */
export function takeMailLink(): MailLink | null {
  const link = readMailLink(location.hash)
  if (link !== null) history.replaceState(null, '', location.pathname)
  return link
}

export function readMailLink(hash: string): MailLink | null {
  const fragment = new URLSearchParams(hash.replace(/^#/, ''))
  if (fragment.has('error_code')) return { type: 'broken' }
  const tokenHash = fragment.get('token_hash')
  if (tokenHash === null) return null
  const type = TYPES.find((candidate) => candidate === fragment.get('type'))
  return type === undefined ? { type: 'broken' } : { type, tokenHash }
}
