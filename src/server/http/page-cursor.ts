import { AppError } from './app-error.ts'

/** Where a page ended: rows are listed by time and, within one, by id, the newest first. */
export interface PageCursor {
  at: string
  id: string
}

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f-]{36})$/
/** After every row that there can be. */
const END: PageCursor = { at: '9999-12-31T23:59:59.999Z', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

export function readPageCursor(value: unknown): PageCursor {
  if (value === undefined) return END
  const [, at, id] = CURSOR.exec(String(value)) ?? []
  if (at === undefined || id === undefined || Number.isNaN(Date.parse(at)))
    throw new AppError(400, 'bad_request', 'O marcador da página não é válido.')
  return { at, id }
}

export function toPageCursor({ created_at, id }: { created_at: string; id: string }): string {
  return `${created_at}_${id}`
}
