import { rangeNotSatisfiable } from './protocol-errors.ts'

export interface RowRange {
  offset: number
  limit: number | null
}

/** `Range: 0-9` narrows what limit and offset ask for; any other unit or form is not ours to honour. */
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

/** `0-9/42`; without rows or without a count, a star. */
export function contentRange(offset: number, count: number, total: number | null): string {
  return `${count === 0 ? '*' : `${offset}-${offset + count - 1}`}/${total ?? '*'}`
}

/** 206 when the answer is a part of a counted whole. */
export function listStatus(offset: number, count: number, total: number | null): 200 | 206 {
  if (total === null) return 200
  if (offset > total) {
    throw rangeNotSatisfiable(`An offset of ${offset} was requested, but there are only ${total} rows.`)
  }
  return count < total ? 206 : 200
}
