import type { FastifyRequest } from 'fastify'
import type { Caller } from '../http/security/administrators.ts'
import { protocolError, rangeNotSatisfiable } from './errors.ts'
import { parseQuery } from './grammar/parse-query.ts'
import type { Query } from './grammar/query.ts'
import type { Resource } from './resource.ts'

/** One call of one caller on one resource. */
export interface Call {
  resource: Resource
  caller: Caller
  request: FastifyRequest
  search: string
  preferences: Preferences
  media: MediaType
}

export function readCall(request: FastifyRequest, resource: Resource): Call {
  const { url, headers, caller } = request
  const mark = url.indexOf('?')
  return {
    resource,
    caller,
    request,
    search: mark === -1 ? '' : url.slice(mark + 1),
    preferences: parsePreferences(headers.prefer),
    media: negotiate(headers.accept),
  }
}

export function readQuery({ search, resource }: Call): Query {
  return parseQuery(search, resource.name)
}

type Format = 'array' | 'object' | 'csv'

export interface MediaType {
  format: Format
  stripNulls: boolean
  /** Sent as Content-Type. */
  name: string
}

const ARRAY: MediaType = { format: 'array', stripNulls: false, name: 'application/json; charset=utf-8' }

/** Chooses the response format from `Accept`: by weight, then by order. */
function negotiate(accept: string | undefined): MediaType {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json') return ARRAY
  const ranges = accept.split(',').map(readRange)
  const wanted = ranges.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight)
  for (const range of wanted) {
    const type = toMediaType(range)
    if (type !== null) return type
  }
  throw protocolError(406, 'PGRST107', `None of these media types are available: ${accept}`)
}

interface MediaRange {
  name: string
  weight: number
  stripNulls: boolean
}

function readRange(text: string): MediaRange {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return {
    name,
    weight: weight === undefined ? 1 : Number(weight) || 0,
    stripNulls: parameters.includes('nulls=stripped'),
  }
}

function toMediaType({ name, stripNulls }: MediaRange): MediaType | null {
  const suffix = `${stripNulls ? ';nulls=stripped' : ''}; charset=utf-8`
  switch (name) {
    case '*/*':
    case 'application/*':
    case 'application/json':
      return ARRAY
    case 'application/vnd.pgrst.array':
    case 'application/vnd.pgrst.array+json':
      return { format: 'array', stripNulls, name: `application/vnd.pgrst.array+json${suffix}` }
    case 'application/vnd.pgrst.object':
    case 'application/vnd.pgrst.object+json':
      return { format: 'object', stripNulls, name: `application/vnd.pgrst.object+json${suffix}` }
    case 'text/*':
    case 'text/csv':
      return { format: 'csv', stripNulls: false, name: 'text/csv; charset=utf-8' }
    default:
      return null
  }
}

export interface Preferences {
  return: 'minimal' | 'representation' | 'headers-only'
  count: boolean
  resolution: 'merge-duplicates' | 'ignore-duplicates' | null
  /** A missing column takes its initial value instead of null. */
  missingDefault: boolean
  /** Do everything, answer, and roll back. */
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
  // Times are in UTC only; under `strict` another zone is refused.
  timezone: (value) => UTC.includes(value.toLowerCase()),
  'max-affected': (value) => /^\d{1,9}$/.test(value),
}

/** A comma list of `name=value`: the first of a name wins, and unknown ones are ignored, except with `strict`. */
function parsePreferences(header: string | string[] | undefined): Preferences {
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
    // An exact count is the best estimate, and cheap at this size.
    count: given.has('count'),
    resolution: (given.get('resolution') ?? null) as Preferences['resolution'],
    missingDefault: given.get('missing') === 'default',
    rollback: given.get('tx') === 'rollback',
    maxAffected: given.has('max-affected') ? Number(given.get('max-affected')) : null,
    applied: applied.length > 0 ? applied.join(', ') : null,
  }
}

export interface RowRange {
  offset: number
  limit: number | null
}

/** `Range: 0-9` narrows limit and offset; other units and forms are ignored. */
export function narrowRange(asked: RowRange, header: string | undefined): RowRange {
  const match = /^(\d{1,15})-(\d{0,15})$/.exec(header ?? '')
  if (match === null) return asked
  const first = Number(match[1])
  const last = match[2] === '' ? Number.POSITIVE_INFINITY : Number(match[2])
  if (last < first) {
    throw rangeNotSatisfiable(
      'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    )
  }
  const offset = Math.max(asked.offset, first)
  const end = Math.min(last + 1, asked.limit === null ? Number.POSITIVE_INFINITY : asked.offset + asked.limit)
  return { offset, limit: end === Number.POSITIVE_INFINITY ? null : Math.max(0, end - offset) }
}

/** `0-9/42`; a star without rows or without a count. */
export function contentRange(offset: number, count: number, total: number | null): string {
  return `${count === 0 ? '*' : `${offset}-${offset + count - 1}`}/${total ?? '*'}`
}

/** 206 for a part of a counted total. */
export function listStatus(offset: number, count: number, total: number | null): 200 | 206 {
  if (total === null) return 200
  if (offset > total) {
    throw rangeNotSatisfiable(`An offset of ${offset} was requested, but there are only ${total} rows.`)
  }
  return count < total ? 206 : 200
}
