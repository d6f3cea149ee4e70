import type { DatabaseSync } from 'node:sqlite'

/** PostgreSQL's `->`, `->>` and `@>` for SQLite, whose own operators give numbers and truth values another form. */
export function registerJsonFunctions(database: DatabaseSync): void {
  const options = { deterministic: true }
  database.function('json_at', options, (document, keys, asText) => {
    if (typeof document !== 'string' || typeof keys !== 'string') return null
    const found = valueAt(JSON.parse(document), JSON.parse(keys))
    if (found === undefined || (asText === 1 && found === null)) return null
    return asText === 1 && typeof found === 'string' ? found : JSON.stringify(found)
  })
  database.function('json_contains', options, (whole, part) => {
    if (typeof whole !== 'string' || typeof part !== 'string') return null
    return containsAtTop(JSON.parse(whole), JSON.parse(part)) ? 1 : 0
  })
}

/** A number is an element of an array, a text a member of an object; undefined where there is none. */
export function valueAt(document: unknown, keys: readonly (string | number)[]): unknown {
  let value = document
  for (const key of keys) {
    if (typeof key === 'number') value = Array.isArray(value) ? value.at(key) : undefined
    else value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value
}

/** An array also contains a plain value, at the top alone. */
function containsAtTop(whole: unknown, part: unknown): boolean {
  const isPlain = !Array.isArray(part) && !isObject(part)
  return contains(whole, Array.isArray(whole) && isPlain ? [part] : part)
}

function contains(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((wanted) => whole.some((item) => contains(item, wanted)))
  if (isObject(part)) {
    return (
      isObject(whole) &&
      Object.entries(part).every(([key, wanted]) => Object.hasOwn(whole, key) && contains(whole[key], wanted))
    )
  }
  return whole === part
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
