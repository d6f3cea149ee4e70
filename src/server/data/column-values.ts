import { badValue, nulInText, protocolError } from './protocol-errors.ts'
import type { ColumnType } from './resource.ts'
import { parseTimestamp } from './timestamp.ts'

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/
const TRUE_WORDS = ['t', 'tr', 'tru', 'true', 'y', 'ye', 'yes', 'on', '1']
const FALSE_WORDS = ['f', 'fa', 'fal', 'fals', 'false', 'n', 'no', 'of', 'off', '0']

/** Reads what a filter or a body says in text, as PostgreSQL's own input functions would. */
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

/** Reads a value of a JSON body. Null is judged by the caller. */
export function parseValue(type: ColumnType, value: unknown): unknown {
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

/** PostgreSQL's text knows neither the zero character nor half of a surrogate pair; SQLite would store both. */
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
