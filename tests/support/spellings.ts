/** One spelling of a path that is not, or may not be, canonical. */
export interface Spelling {
  target: string
  /** Default `1.1`. */
  version?: string
  /** Replaces the `Host` header. */
  hosts?: readonly string[]
}

const escapeOf = (character: string) =>
  `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`

/** What may be before, behind or between the segments of a path and be removed by some server. */
const FILLERS = [
  ...['/', '//', '\\', '/\\', '/.', '/..', '/./', '/x/..', '/..;', '/.;', '/%2e', '/%2E%2E', '/%252e'],
  ...['%2F', '%2f', '%5C', '%5c', '%252F', ';', ';x=1', '/;', '/;x=1', '#', '#x', '%23', '%3F', '%3f'],
  ...['%00', '%0A', '%0d%0a', '%09', '%20', '%7F', '%FF', '%C0%AF', '%c3%a9', '%C3%A9', '%', '%6', '%zz'],
  ...['\t', '\x01', '\x7f', '\xe9', '|', '"', '<', '^', '`', '{', '+', '*', '~', '.'],
]

/** Every spelling of a path that some server may treat as the same. */
export function spellingsOf(path: string, host: string): Spelling[] {
  const characters = [...path]
  const replaceAt = (at: number, text: string) => path.slice(0, at) + text + path.slice(at + 1)
  const targets = [
    ...characters.flatMap((character, at) => {
      const escaped = escapeOf(character)
      return [escaped, escaped.toLowerCase(), escaped.replace('%', '%25'), `%u00${escaped.slice(1)}`].map(
        (each) => replaceAt(at, each),
      )
    }),
    characters.map(escapeOf).join(''),
    `/${characters.slice(1).map(escapeOf).join('')}`,
    path.toUpperCase(),
    path.replace(/(?<=\/)\w/g, (letter) => letter.toUpperCase()),
    ...FILLERS.flatMap((filler) => [filler + path, path + filler, path.replace(/(?<=.)\//, `${filler}/`)]),
    ...['http://', 'https://', 'HTTP://', '//', 'ftp://', '@', '', 'http:'].flatMap((scheme) => [
      `${scheme}${host}${path}`,
      `${scheme}x${path}`,
      `${scheme}${host}`,
    ]),
    path.slice(1),
    `.${path}`,
    '*',
    ...['?', '?x', '?a=%2F%7E&b=%61', '?/../..//%2e', '?http://x/'].map((query) => path + query),
  ]
  return [
    ...[...new Set(targets)].filter((target) => target !== '').map((target) => ({ target })),
    ...HOSTS.map((hosts) => ({ target: path, hosts: hosts.map((each) => each.replace('HOST', host)) })),
    ...['0.9', '1.0', '2.0', '1.2'].map((version) => ({ target: path, version })),
    { target: path, version: '1.0', hosts: [] },
    { target: `http://${host}${path}`, version: '1.0', hosts: [] },
  ]
}

/** True if Node's parser accepts it, so that the connection continues; what is no HTTP ends it. */
export function keepsConnection({ target, version = '1.1', hosts = [] }: Spelling): boolean {
  return (
    /^(?:\/|\*|https?:\/\/)[!-~]*$/i.test(target) &&
    version === '1.1' &&
    hosts.every((host) => /^[ -~]*$/.test(host))
  )
}

const HOSTS: readonly (readonly string[])[] = [
  ...[
    [],
    [''],
    ['HOST', 'HOST'],
    ['HOST', 'x'],
    ['x', 'HOST'],
    ['HOST, x'],
    ['HOST x'],
    ['HOST/x'],
    ['HOST?'],
  ],
  ...[['x@HOST'], ['HOST#'], ['HOST\\x'], ['[::1'], ['HOST%00'], ['h\xf6st']],
]
