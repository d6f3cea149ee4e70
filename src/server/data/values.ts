import {
  badJson,
  badValue,
  checkViolation,
  notNull,
  nulInText,
  protocolError,
  unknownWriteColumn,
} from './errors.ts'
import { type Column, type ColumnType, type Resource, type Row, valuesOf } from './resource.ts'

/** The result of a cast; null keeps the value. */
export type Cast = 'text' | 'date' | 'integer' | null

const TO_TEXT: Record<string, Cast> = { text: 'text', varchar: 'text', 'character varying': 'text' }

/** Casts that give the same on both engines and cannot fail on a row's value. */
const CASTS: Record<ColumnType, Record<string, Cast>> = {
  uuid: { uuid: null, ...TO_TEXT },
  text: TO_TEXT,
  boolean: { boolean: null, bool: null, integer: 'integer', int: 'integer', int4: 'integer', ...TO_TEXT },
  timestamp: { timestamptz: null, 'timestamp with time zone': null, date: 'date', ...TO_TEXT },
  json: { jsonb: null, json: null, ...TO_TEXT },
}

export function castColumn(column: Pick<Column, 'type'>, wanted: string | null): Cast {
  if (wanted === null) return null
  const casts = CASTS[column.type]
  const name = wanted.toLowerCase()
  if (Object.hasOwn(casts, name)) return casts[name] ?? null
  throw protocolError(400, '42846', `cannot cast type ${typeName(column)} to ${wanted}`, {
    hint: `It can be cast to ${Object.keys(casts).join(', ')}.`,
  })
}

/** A new row: the client's values, and initial values for the rest. */
export function completeRow(resource: Resource, input: Row): Row {
  const row: Row = { ...input }
  for (const column of resource.columns) {
    if (Object.hasOwn(row, column.name) || isOptionalSecret(column)) continue
    row[column.name] = column.initial?.(row) ?? null
  }
  return checkRow(resource, row)
}

/** Normalises and checks a whole row. A write-only value that was not sent is not checked. */
export function checkRow(resource: Resource, row: Row): Row {
  const checked: Row = { ...row }
  for (const column of resource.columns) {
    if (column.normalize === undefined || !Object.hasOwn(checked, column.name)) continue
    checked[column.name] = column.normalize(checked[column.name], checked)
  }
  for (const column of resource.columns) {
    if (!Object.hasOwn(checked, column.name)) continue
    const value = checked[column.name]
    const isMissing = value === null || value === undefined
    if (isMissing && column.nullable !== true) throw notNull(resource.name, column.name)
    const values = valuesOf(column)
    if (values !== null && !values.includes(String(value))) {
      const expected = `${column.name} must be one of ${values.join(', ')}`
      throw checkViolation(resource.name, `${resource.name}_${column.name}_check`, expected)
    }
    if (column.check !== undefined && !column.check.passes(value, checked)) {
      throw checkViolation(resource.name, column.check.constraint, column.check.expected)
    }
  }
  return checked
}

/** If it is not sent it stays unchanged: null would delete it. */
function isOptionalSecret({ read, nullable }: Column): boolean {
  return read === false && nullable === true
}

interface InputOptions {
  /** The `columns` parameter: only these are taken from each object. */
  columns: readonly string[] | null
  missingDefault: boolean
}

/** Reads a body into rows of typed values, with only what the client set. */
export function readInputs(resource: Resource, body: unknown, options: InputOptions): Row[] {
  const objects = toObjects(body)
  const first = objects[0]
  if (first === undefined) return []
  const names = options.columns ?? sharedKeys(objects, Object.keys(first))
  const columns = names.map((name) => findWritable(resource, name))
  return objects.map((object) => readObject(object, columns, options.missingDefault))
}

function toObjects(body: unknown): Record<string, unknown>[] {
  const list = Array.isArray(body) ? body : [body]
  for (const item of list) {
    if (item === null || typeof item !== 'object' || Array.isArray(item)) throw badJson()
  }
  return list
}

/** Without `columns`, all objects must have the same keys. */
function sharedKeys(objects: readonly Record<string, unknown>[], keys: string[]): string[] {
  for (const object of objects) {
    if (Object.keys(object).length !== keys.length || !keys.every((key) => Object.hasOwn(object, key))) {
      throw badJson('All object keys must match')
    }
  }
  return keys
}

function findWritable(resource: Resource, name: string): Column {
  const column = resource.columns.find((candidate) => candidate.name === name)
  if (column === undefined) throw unknownWriteColumn(resource.name, name)
  return column
}

function readObject(object: Record<string, unknown>, columns: Column[], missingDefault: boolean): Row {
  const row: Row = {}
  for (const { name, type, write } of columns) {
    if (write === 'maintained') continue
    const value = Object.hasOwn(object, name) ? object[name] : undefined
    if (value === undefined && missingDefault) continue
    row[name] = value === undefined || value === null ? null : parseValue(type, value)
  }
  return row
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/

const TRUE_WORDS = ['t', 'tr', 'tru', 'true', 'y', 'ye', 'yes', 'on', '1']

const FALSE_WORDS = ['f', 'fa', 'fal', 'fals', 'false', 'n', 'no', 'of', 'off', '0']

/** Parses text of a filter or body as PostgreSQL's input functions do. */
export function parseText(type: ColumnType, text: string): unknown {
  switch (type) {
    case 'uuid':
      return parseUuid(text)
    case 'boolean':
      return parseBoolean(text)
    case 'timestamp':
      return parseTimestamp(text)
    case 'text':
      return checkText(text)
    case 'json':
      return parseJson(text)
  }
}

/** Parses a value of a JSON body. Null is checked by the caller. */
function parseValue(type: ColumnType, value: unknown): unknown {
  if (type === 'json') return checkDocument(value)
  if (type === 'boolean' && typeof value === 'boolean') return value
  return parseText(type, typeof value === 'string' ? value : JSON.stringify(value))
}

function parseUuid(text: string): string {
  const lower = text.trim().toLowerCase()
  if (!UUID.test(lower)) throw badValue('uuid', text)
  const hex = lower.replaceAll('-', '')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

function parseBoolean(text: string): boolean {
  const word = text.trim().toLowerCase()
  if (TRUE_WORDS.includes(word)) return true
  if (FALSE_WORDS.includes(word)) return false
  throw badValue('boolean', text)
}

/** PostgreSQL's text allows neither the zero character nor a lone surrogate; SQLite would store both. */
function checkText(text: string): string {
  if (text.includes('\0')) throw nulInText()
  if (!text.isWellFormed()) {
    throw protocolError(400, '22P02', 'invalid input syntax for type json', {
      details: 'Unicode surrogates must come in pairs.',
    })
  }
  return text
}

function checkDocument(value: unknown): unknown {
  if (typeof value === 'string') checkText(value)
  else if (value !== null && typeof value === 'object') {
    for (const [key, part] of Object.entries(value)) {
      checkText(key)
      checkDocument(part)
    }
  }
  return value
}

function parseJson(text: string): unknown {
  try {
    return checkDocument(JSON.parse(text))
  } catch {
    throw badValue('json', text)
  }
}

const PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/** Accepts the ISO formats that PostgreSQL accepts, in the form that both engines store. Without a zone it is UTC. */
export function parseTimestamp(text: string): string {
  const match = PATTERN.exec(text.trim())
  if (match === null) throw badTimestamp(text)
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}`
  const asUtc = new Date(`${local}Z`)
  // A day that its month does not have would silently become another day.
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString() !== `${local}Z`) throw outOfRange(text)
  const instant = new Date(asUtc.getTime() - zoneMinutes(zone, text) * 60_000)
  const year4 = instant.getUTCFullYear()
  if (year4 < 1 || year4 > 9999) throw outOfRange(text)
  return instant.toISOString()
}

function zoneMinutes(zone: string, text: string): number {
  if (zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || '0')
  if (hours > 15 || minutes > 59) throw outOfRange(text)
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

const badTimestamp = (text: string) =>
  protocolError(400, '22007', `invalid input syntax for type timestamp with time zone: "${text}"`)

const outOfRange = (text: string) =>
  protocolError(400, '22008', `date/time field value out of range: "${text}"`)

const DOT = 19

const ZERO = 48

/** `…32.500Z` becomes `…32.5+00:00`: no trailing zeros, and an offset instead of `Z`. */
export function toWireTimestamp(iso: string): string {
  return `${iso.slice(0, fractionEnd(iso))}+00:00`
}

/** As PostgreSQL prints it as text: in CSV, and after `::text`. */
export function toTextTimestamp(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, fractionEnd(iso))}+00`
}

function fractionEnd(iso: string): number {
  let end = iso.length - 1
  while (end > DOT + 1 && iso.charCodeAt(end - 1) === ZERO) end--
  return end === DOT + 1 ? DOT : end
}

const TYPE_NAMES: Partial<Record<ColumnType, string>> = { timestamp: 'timestamp with time zone' }

export function typeName({ type }: Pick<Column, 'type'>): string {
  return TYPE_NAMES[type] ?? type
}
