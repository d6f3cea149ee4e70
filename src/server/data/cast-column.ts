import { typeName } from './operand.ts'
import { protocolError } from './protocol-errors.ts'
import type { Column, ColumnType } from './resource.ts'

/** What a cast makes of a value; null leaves it as it is. */
export type Cast = 'text' | 'date' | 'integer' | null

const TO_TEXT: Record<string, Cast> = { text: 'text', varchar: 'text', 'character varying': 'text' }

/** Both engines give the same for these; a cast that can fail on a row's value is not among them. */
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
