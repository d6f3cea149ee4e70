import { formatShare } from '#contract/format-share.ts'
import type { BreakerReason, WindowCounts } from './breaker-rule.ts'

/** What visits showed, as a sentence without its end; `whose` is its subject. */
export function describeTrip(
  whose: string,
  { reason, visits, failed }: WindowCounts & { reason: BreakerReason },
): string {
  const share = `${failed.toLocaleString('pt-BR')} de ${visits.toLocaleString('pt-BR')} visitas`
  const percent = `(${formatShare(failed, visits)})`
  return reason === 'failing'
    ? `${whose} falhou em ${share} ${percent} em dez minutos`
    : `${whose} ocupou o navegador por mais de 500 ms em ${share} medidas ${percent} em uma hora`
}
