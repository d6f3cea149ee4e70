import type { Db } from '../database.ts'
import type { TableName } from './table-order.ts'

/** What is in them is about visitors and of no use a week later: no part of an export or a backup. */
export const LEFT_BEHIND: ReadonlySet<TableName> = new Set(['deliveries', 'sign_up_hashes'])

/** What waits to be sent and is not copied. Subscriptions are: they wait in their own table. */
export interface LeftBehind {
  conversions: number
  mails: number
}

export async function countLeftBehind(db: Db): Promise<LeftBehind> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['kind', (eb) => eb.fn.countAll<number>().as('waiting')])
    .groupBy('kind')
    .execute()
  return sumLeftBehind(rows)
}

export function sumLeftBehind(rows: readonly { kind: string; waiting: number }[]): LeftBehind {
  const sum = (counts: (kind: string) => boolean) =>
    rows.filter(({ kind }) => counts(kind)).reduce((total, { waiting }) => total + Number(waiting), 0)
  return {
    conversions: sum((kind) => kind !== 'mail' && kind !== 'newsletter'),
    mails: sum((kind) => kind === 'mail'),
  }
}

export function describeLeftBehind({ conversions, mails }: LeftBehind): string {
  if (conversions + mails === 0)
    return 'Nada esperava envio: nenhuma conversão e nenhum e-mail ficaram de fora.'
  const parts = [count(conversions, 'conversão', 'conversões'), count(mails, 'e-mail', 'e-mails')]
  const waiting = parts.filter((part) => part !== null).join(' e ')
  return `Não estão no arquivo, porque ainda esperavam envio: ${waiting}.`
}

function count(number: number, one: string, many: string): string | null {
  return number === 0 ? null : `${number} ${number === 1 ? one : many}`
}
