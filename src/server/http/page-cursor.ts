import { isUuid } from '#contract/uuid.ts'
import { AppError } from './app-error.ts'

/** Where a page ended: rows are listed by time and, within one, by id, the newest first. */
export interface PageCursor {
  at: string
  id: string
}

/** After every row that there can be. */
const END: PageCursor = { at: '9999-12-31T23:59:59.999Z', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

export function readPageCursor(value: unknown): PageCursor {
  if (value === undefined) return END
  const [at = '', id = ''] = String(value).split('_', 2)
  if (!isStoredTime(at) || !isUuid(id))
    throw new AppError(400, 'bad_request', 'O marcador da página não é válido.')
  return { at, id }
}

/** As we write times; no engine knows a year 0. */
function isStoredTime(text: string): boolean {
  const time = new Date(text)
  return !Number.isNaN(time.getTime()) && time.toISOString() === text && time.getUTCFullYear() > 0
}

export function toPageCursor({ created_at, id }: { created_at: string; id: string }): string {
  return `${created_at}_${id}`
}
