/** "67%". Never rounded to 0% or 100%; empty without a total. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return ''
  const percent = (part / whole) * 100
  if (percent > 0 && percent < 1) return 'menos de 1%'
  if (percent > 99 && percent < 100) return 'mais de 99%'
  return `${Math.round(percent)}%`
}

/**
 * Shares of one whole that add up to 100% as they are shown (largest remainder). Parts that are left out count as one
 * more.
 * @example
 * formatShares([1, 1, 1]) // ['34%', '33%', '33%']
 */
export function formatShares(parts: readonly number[], whole = sumOf(parts)): string[] {
  const percents = [...parts, whole - sumOf(parts)].map((part) => (part * 100) / whole)
  // "menos de 1%" stands for what is missing from 100.
  const large = percents.map((percent, index) => ({ percent, index })).filter(({ percent }) => percent >= 1)
  const downs = large.map(({ percent }) => Math.floor(percent))
  let missing = Math.floor(sumOf(large.map(({ percent }) => percent)) + 1e-6) - sumOf(downs)
  const up = new Set<number>()
  for (const { index } of large.toSorted((a, b) => (b.percent % 1) - (a.percent % 1)))
    if (missing-- > 0) up.add(index)
  return parts.map((part, index) => {
    const percent = percents[index] ?? 0
    const isWhole = percent >= 1 && percent <= 99
    return isWhole ? `${Math.floor(percent) + (up.has(index) ? 1 : 0)}%` : formatShare(part, whole)
  })
}

function sumOf(parts: readonly number[]): number {
  return parts.reduce((sum, part) => sum + part, 0)
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
