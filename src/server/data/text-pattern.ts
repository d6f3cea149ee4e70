import { protocolError } from './protocol-errors.ts'

/** The wire writes `*` where SQL writes `%`, because the latter needs escaping in an address. */
export function toLikePattern(value: string): string {
  const pattern = value.replaceAll('*', '%')
  const trailing = /(?<!\\)\\+$/.exec(pattern)?.[0].length ?? 0
  if (trailing % 2 === 1) {
    throw protocolError(400, '22025', 'LIKE pattern must not end with escape character')
  }
  return pattern
}

const GLOB_SPECIAL = '*?['

/** The same pattern in GLOB's letters, in which only a class can hold a wildcard as itself. */
export function toGlob(pattern: string): string {
  let glob = ''
  for (let at = 0; at < pattern.length; at++) {
    let character = pattern.charAt(at)
    if (character === '%') glob += '*'
    else if (character === '_') glob += '?'
    else {
      if (character === '\\') character = pattern.charAt(++at)
      glob += GLOB_SPECIAL.includes(character) ? `[${character}]` : character
    }
  }
  return glob
}
