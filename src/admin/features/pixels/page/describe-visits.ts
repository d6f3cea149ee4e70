import { formatCount } from '#contract/format-count.ts'
import type { LedgerSum } from './ledger-series.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')

/** What became of the visits that agreed, in a sentence. Who stopped it is named; nobody claims an arrival. */
export function describeVisits({ blocked, failed, reached, not_consented: refused }: LedgerSum): string {
  const agreed = blocked + failed + reached
  if (agreed === 0) {
    return refused === null || refused === 0
      ? 'Nenhuma visita com esta tag nas últimas 24 horas.'
      : `Nas últimas 24 horas, ${formatCount(refused, 'visita recusou', 'visitas recusaram')} esta tag e nenhuma relatou que ela rodou.`
  }
  const start =
    reached === agreed
      ? `Nas últimas 24 horas, rodou sem impedimento ${agreed === 1 ? 'na única visita' : `nas ${NUMBER.format(agreed)} visitas`} com consentimento`
      : `Nas últimas 24 horas, rodou sem impedimento em ${NUMBER.format(reached)} de ${formatCount(agreed, 'visita', 'visitas')} com consentimento`
  const stopped = [
    blocked === 0
      ? null
      : `${formatCount(blocked, 'foi barrada', 'foram barradas')} por bloqueadores ou pela rede`,
    failed === 0 ? null : formatCount(failed, 'falhou', 'falharam'),
  ].filter((part) => part !== null)
  return `${[start, ...(stopped.length === 0 ? [] : [stopped.join(' e ')])].join('; ')}.`
}
