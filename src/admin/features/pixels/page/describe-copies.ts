import { formatCount } from '#contract/format-count.ts'
import type { PixelType } from '#contract/pixel.ts'
import type { LedgerRow } from '#contract/visit-results.ts'
import { ANSWERERS } from '../sending/vendor-names.ts'
import { copiesOf, sumSet } from './ledger-series.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')
const LIST = new Intl.ListFormat('pt-BR')

/** What became of the server's copies, in a sentence; null where none were counted. Only an answer is called accepted or refused. */
export function describeCopies(type: PixelType, rows: readonly LedgerRow[]): string | null {
  const { parts, total } = sumSet(rows, copiesOf(type, rows))
  if (total === null) return null
  if (total === 0) return 'O servidor não teve cópia a enviar nas últimas 24 horas.'
  const count = (key: keyof typeof parts) => parts[key] ?? 0
  const { who } = ANSWERERS[type]
  const answers = [
    ...(count('accepted') > 0 ? [`aceitou ${NUMBER.format(count('accepted'))}`] : []),
    ...(count('refused') > 0 ? [`recusou ${NUMBER.format(count('refused'))}`] : []),
  ]
  const others = [
    ...say(count('unconfirmed'), 'foi enviada', 'foram enviadas'),
    ...say(count('waiting'), 'aguarda', 'aguardam'),
    ...say(count('expired'), 'expirou', 'expiraram'),
    ...say(count('withheld'), 'foi retida', 'foram retidas'),
  ]
  const clauses = [
    ...(answers.length === 0 ? [] : [`${who} ${LIST.format(answers)}`]),
    ...(others.length === 0 ? [] : [LIST.format(others)]),
    ...(count('unconfirmed') > 0 ? [`${who} não confirma`] : []),
  ]
  return `Das cópias do servidor, ${clauses.join('; ')}.`
}

function say(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [formatCount(count, one, many)]
}
