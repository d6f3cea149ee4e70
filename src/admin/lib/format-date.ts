const DATE = new Intl.DateTimeFormat('pt-BR', { day: '2-digit', month: '2-digit', year: 'numeric' })
const FULL = new Intl.DateTimeFormat('pt-BR', { dateStyle: 'full', timeStyle: 'medium' })

export function formatDate(timestamp: string): string {
  return DATE.format(new Date(timestamp))
}

export function formatTimestamp(timestamp: string): string {
  return FULL.format(new Date(timestamp))
}
