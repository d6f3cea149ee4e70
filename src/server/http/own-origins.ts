/** The addresses by which one and the same place is reached: on this machine, `localhost` and `127.0.0.1` are one. */
export function ownOrigins(origin: string): string[] {
  const url = new URL(origin)
  const alias = LOOPBACK[url.hostname]
  if (alias === undefined) return [origin]
  const other = new URL(origin)
  other.hostname = alias
  return [origin, other.origin]
}

const LOOPBACK: Record<string, string> = { localhost: '127.0.0.1', '127.0.0.1': 'localhost' }
