/** The first cookie of that name, or null. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const part of (header ?? '').split(';')) {
    const [key = '', ...value] = part.split('=')
    if (key.trim() === name) return value.join('=').trim()
  }
  return null
}

/** Lax, so that a link from a mail or a chat still opens the dashboard signed in. */
export function makeCookie(name: string, value: string, maxAgeSeconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; Secure; HttpOnly; SameSite=Lax`
}
