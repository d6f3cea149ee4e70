import { isUuid } from '#contract/uuid.ts'
import { AppError } from './errors.ts'

/** CSV (RFC 4180) with every cell quoted. */
export function toCsvLine(values: readonly string[]): string {
  return `${values.map((value) => `"${disarmFormulas(value).replaceAll('"', '""')}"`).join(',')}\r\n`
}

const SEPARATORS = ';,|\t\r\n'

const FORMULA_STARTS = '=+-@\t\r\0\uFF1D\uFF0B\uFF0D\uFF20'

/**
 * A spreadsheet runs a cell that begins like a formula; an apostrophe makes it text (OWASP ASVS 1.2.10). It is added
 * where a cell begins and where one may begin: a Brazilian Excel splits lines at semicolons and only knows quotes at
 * the start of a cell. Read from the end, so that each character is visited once.
 */
export function disarmFormulas(value: string): string {
  let disarmed = ''
  let end = value.length
  let isFormula = false
  for (let at = end - 1; at >= 0; at--) {
    const character = value.charAt(at)
    isFormula = FORMULA_STARTS.includes(character) || (isFormula && /[\s"]/.test(character))
    if (!isFormula || (at > 0 && !SEPARATORS.includes(value.charAt(at - 1)))) continue
    disarmed = `'${value.slice(at, end)}${disarmed}`
    end = at
  }
  return value.slice(0, end) + disarmed
}

/** Where a page ended: rows are listed by time, then by id, newest first. */
export interface PageCursor {
  at: string
  id: string
}

/** After every possible row. */
const END: PageCursor = { at: '9999-12-31T23:59:59.999Z', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

export function readPageCursor(value: unknown): PageCursor {
  if (value === undefined) return END
  const [at = '', id = ''] = String(value).split('_', 2)
  if (!isStoredTime(at) || !isUuid(id))
    throw new AppError(400, 'bad_request', 'Não foi possível carregar mais itens. Recarregue a página.')
  return { at, id }
}

/** In our format of times; no engine knows a year 0. */
function isStoredTime(text: string): boolean {
  const time = new Date(text)
  return !Number.isNaN(time.getTime()) && time.toISOString() === text && time.getUTCFullYear() > 0
}

export function toPageCursor({ created_at, id }: { created_at: string; id: string }): string {
  return `${created_at}_${id}`
}

/** The first cookie of that name, or null. */
export function readCookie(header: string | undefined, name: string): string | null {
  if (header?.includes(name) !== true) return null
  for (const part of header.split(';')) {
    const [key = '', ...value] = part.split('=')
    if (key.trim() === name) return value.join('=').trim()
  }
  return null
}
