import type { ConsentCount } from '#contract/consent.ts'
import { toCsvLine } from '#server/http/csv-line.ts'

const STATES = { accepted: 'aceitou', partial: 'em parte', refused: 'recusou' } as const

/** The figures of a period as a file: a few lines for each day. */
export function exportCounts(counts: readonly ConsentCount[]): string {
  return [
    ['dia', 'versao_do_aviso', 'botao', 'escolha', 'quantidade'],
    ...counts.map(({ day, text_version, action, choice, count }) => [
      day,
      String(text_version),
      action,
      STATES[choice],
      String(count),
    ]),
  ]
    .map(toCsvLine)
    .join('')
}
