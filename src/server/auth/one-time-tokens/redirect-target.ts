/** Only the dashboard may be handed a one-time token: anywhere else, even on this site, other people's code may run. */
export function redirectTarget(origins: readonly string[], asked: string | undefined): string | null {
  if (asked === undefined || !URL.canParse(asked)) return null
  const url = new URL(asked)
  const isDashboard = url.pathname === '/admin' || url.pathname.startsWith('/admin/')
  if (!origins.includes(url.origin) || !isDashboard || url.username !== '' || url.password !== '') return null
  return url.origin + url.pathname
}
