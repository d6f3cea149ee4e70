import type { Db } from '../db/database.ts'

const PAGE_SIZE = 1_000
const HEADINGS = ['email', 'situacao', 'inscrito_em', 'entregue_em', 'tentativas', 'ultimo_erro']
const STATUS_NAMES = { pending: 'aguardando', delivered: 'entregue', failed: 'falhou' } as const

/** CSV as RFC 4180 has it, every cell in quotation marks, a page of rows at a time. */
export async function* exportSubscriptions(db: Db): AsyncGenerator<string> {
  yield toCsvLine(HEADINGS)
  let after = ''
  while (true) {
    const rows = await db
      .selectFrom('newsletter_subscriptions')
      .select(['email', 'status', 'created_at', 'delivered_at', 'attempts', 'last_error'])
      .where('email', '>', after)
      .orderBy('email')
      .limit(PAGE_SIZE)
      .execute()
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.email
    yield rows
      .map((row) =>
        toCsvLine([
          row.email,
          STATUS_NAMES[row.status],
          row.created_at,
          row.delivered_at ?? '',
          String(row.attempts),
          row.last_error ?? '',
        ]),
      )
      .join('')
  }
}

export function toCsvLine(values: readonly string[]): string {
  return `${values.map(toCell).join(',')}\r\n`
}

/**
 * Where a cell begins and where one may begin: a Brazilian Excel splits this file on semicolons, and knows quotation
 * marks only at the start of what it then takes for a cell.
 */
const FORMULA_START = /(?<=^|[;,|\t\r\n])(?=[\s"]*[=+\-@\t\r\0\uFF1D\uFF0B\uFF0D\uFF20])/g

/** A spreadsheet would run a cell that begins like a formula; the apostrophe makes it text (OWASP ASVS 1.2.10). */
function toCell(value: string): string {
  return `"${value.replace(FORMULA_START, "'").replaceAll('"', '""')}"`
}
