/** "67%". Never rounded to 0% or 100%; empty without a total. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return ''
  const percent = (part / whole) * 100
  if (percent > 0 && percent < 1) return 'menos de 1%'
  if (percent > 99 && percent < 100) return 'mais de 99%'
  return `${Math.round(percent)}%`
}

/** "3 de 4 visitas (75%)". */
export function formatPart(part: number, whole: number, one: string, many: string): string {
  const share = formatShare(part, whole)
  return `${part.toLocaleString('pt-BR')} de ${formatCount(whole, one, many)}${share === '' ? '' : ` (${share})`}`
}

const NUMBER = new Intl.NumberFormat('pt-BR')

/** "1 dia", "2 dias", "1.200 dias". */
export function formatCount(count: number, one: string, many: string): string {
  return `${NUMBER.format(count)} ${count === 1 ? one : many}`
}
