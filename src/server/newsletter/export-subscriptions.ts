import type { Db } from '../db/database.ts'
import { toCsvLine } from '../http/csv-line.ts'

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
