/** The first cookie of that name, or null. */
export function readCookie(header: string | undefined, name: string): string | null {
  if (header?.includes(name) !== true) return null
  for (const part of header.split(';')) {
    const [key = '', ...value] = part.split('=')
    if (key.trim() === name) return value.join('=').trim()
  }
  return null
}
