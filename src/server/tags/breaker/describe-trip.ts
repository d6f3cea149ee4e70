import { formatPart } from '#contract/format-count.ts'
import type { BreakerReason, WindowCounts } from './breaker-rule.ts'

/** What visits showed, as a sentence without its end; `whose` is its subject. */
export function describeTrip(
  whose: string,
  { reason, visits, failed }: WindowCounts & { reason: BreakerReason },
): string {
  return reason === 'failing'
    ? `${whose} falhou em ${formatPart(failed, visits, 'visita', 'visitas')} em dez minutos`
    : `${whose} ocupou o navegador por mais de 500 ms em ${formatPart(failed, visits, 'visita medida', 'visitas medidas')} em uma hora`
}
