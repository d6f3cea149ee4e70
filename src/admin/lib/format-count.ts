const NUMBER = new Intl.NumberFormat('pt-BR')

export function formatCount(count: number, one: string, many: string): string {
  return `${NUMBER.format(count)} ${count === 1 ? one : many}`
}
