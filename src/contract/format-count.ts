const NUMBER = new Intl.NumberFormat('pt-BR')

/** "1 dia", "2 dias", "1.200 dias". */
export function formatCount(count: number, one: string, many: string): string {
  return `${NUMBER.format(count)} ${count === 1 ? one : many}`
}
