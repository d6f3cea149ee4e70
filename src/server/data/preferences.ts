import { protocolError } from './protocol-errors.ts'

export interface Preferences {
  return: 'minimal' | 'representation' | 'headers-only'
  count: boolean
  resolution: 'merge-duplicates' | 'ignore-duplicates' | null
  /** A listed column that a row does not bring takes its initial value instead of null. */
  missingDefault: boolean
  /** Do everything, answer, and keep nothing. */
  rollback: boolean
  /** Only under `handling=strict`. */
  maxAffected: number | null
  /** The answer's `Preference-Applied`, or null. */
  applied: string | null
}

const NONE: Preferences = Object.freeze({
  return: 'minimal',
  count: false,
  resolution: null,
  missingDefault: false,
  rollback: false,
  maxAffected: null,
  applied: null,
})

const UTC = ['utc', 'etc/utc', 'gmt', 'etc/gmt', 'zulu']

/** The protocol's order in `Preference-Applied`. */
const KNOWN: Record<string, (value: string) => boolean> = {
  resolution: (value) => value === 'merge-duplicates' || value === 'ignore-duplicates',
  missing: (value) => value === 'default' || value === 'null',
  return: (value) => value === 'minimal' || value === 'representation' || value === 'headers-only',
  count: (value) => value === 'exact' || value === 'planned' || value === 'estimated',
  tx: (value) => value === 'commit' || value === 'rollback',
  handling: (value) => value === 'strict' || value === 'lenient',
  // Times are told in UTC and in nothing else; under `strict`, whoever asks for another zone is told so.
  timezone: (value) => UTC.includes(value.toLowerCase()),
  'max-affected': (value) => /^\d{1,9}$/.test(value),
}

/** A comma list of `name=value` in which the first of a name wins and the unknown is ignored, unless told `strict`. */
export function parsePreferences(header: string | string[] | undefined): Preferences {
  if (header === undefined || header.length === 0) return NONE
  const given = new Map<string, string>()
  const invalid: string[] = []
  for (const item of String(header).split(',')) {
    const text = item.trim()
    const [name = '', value = ''] = text.split('=').map((part) => part.trim())
    if (Object.hasOwn(KNOWN, name) && KNOWN[name]?.(value)) {
      if (!given.has(name)) given.set(name, value)
    } else if (text !== '') invalid.push(text)
  }
  const strict = given.get('handling') === 'strict'
  if (strict && invalid.length > 0) {
    throw protocolError(400, 'PGRST122', 'Invalid preferences given with handling=strict', {
      details: `Invalid preferences: ${invalid.join(', ')}`,
      hint: invalid.some((item) => item.startsWith('timezone=')) ? 'Times are told in UTC alone.' : null,
    })
  }
  if (!strict) given.delete('max-affected')
  const applied = Object.keys(KNOWN).flatMap((name) =>
    given.has(name) ? [`${name}=${given.get(name)}`] : [],
  )
  return {
    return: (given.get('return') ?? 'minimal') as Preferences['return'],
    // An exact count is the best estimate there is, and cheap at this size.
    count: given.has('count'),
    resolution: (given.get('resolution') ?? null) as Preferences['resolution'],
    missingDefault: given.get('missing') === 'default',
    rollback: given.get('tx') === 'rollback',
    maxAffected: given.has('max-affected') ? Number(given.get('max-affected')) : null,
    applied: applied.length > 0 ? applied.join(', ') : null,
  }
}
