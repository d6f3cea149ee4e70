import { protocolError } from '../protocol-errors.ts'

/** What follows a column as `->key`, `->0`, `->>key`. */
export interface JsonPath {
  /** A number is an element of an array, counted from the end when it is negative. */
  keys: readonly (string | number)[]
  /** `->>` at the end: the value as text. */
  asText: boolean
}

export interface ColumnPath {
  column: string
  path: JsonPath | null
}

/** `column->a->>b` in its parts; most names have one. */
export function splitPath(name: string): ColumnPath {
  if (!name.includes('->')) return { column: name, path: null }
  const [column = '', ...steps] = name.split(/(->>?)/).map((part) => part.trim())
  const arrows = steps.filter((_step, at) => at % 2 === 0)
  const keys = steps.filter((_step, at) => at % 2 === 1)
  if (column === '' || keys.includes('') || arrows.slice(0, -1).includes('->>')) {
    throw protocolError(400, 'PGRST100', `"failed to parse tree path (${name})" (line 1, column 1)`, {
      details: 'expecting column->key->>key, with ->> at the end alone',
    })
  }
  return {
    column,
    path: {
      keys: keys.map((key) => (/^-?\d{1,9}$/.test(key) ? Number(key) : key)),
      asText: arrows.at(-1) === '->>',
    },
  }
}
