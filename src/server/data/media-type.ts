import { protocolError } from './protocol-errors.ts'

type Format = 'array' | 'object' | 'csv'

export interface MediaType {
  format: Format
  stripNulls: boolean
  /** Sent as Content-Type. */
  name: string
}

const ARRAY: MediaType = { format: 'array', stripNulls: false, name: 'application/json; charset=utf-8' }

/** Chooses the answer's form from `Accept`: by weight, then by order. */
export function negotiate(accept: string | undefined): MediaType {
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
