import type { Fee } from '#contract/site-content.ts'

const MONEY = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' })

const RATE = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

export function formatCents(cents: number): string {
  return MONEY.format(cents / 100)
}

export function formatPercent(percent: number): string {
  return `${RATE.format(percent)}%`
}

export function describeFee({ percent, fixed_cents }: Fee): string {
  if (percent === 0) return fixed_cents === 0 ? 'Sem taxa' : `${formatCents(fixed_cents)} por venda`
  return fixed_cents === 0
    ? formatPercent(percent)
    : `${formatPercent(percent)} + ${formatCents(fixed_cents)}`
}

export function describeSettlement({ settlement_days: days }: Fee): string {
  if (days === 0) return 'No mesmo dia'
  return days === 1 ? 'Em 1 dia' : `Em ${days} dias`
}

/** Names of the simulator's fields, in the address. */
export const FEE_FIELDS = { volume: 'volume', ticket: 'tiquete', method: 'meio', today: 'hoje' } as const

type FieldName = keyof typeof FEE_FIELDS

export interface Simulation {
  /** As typed. */
  values: Record<FieldName, string>
  errors: Partial<Record<FieldName, string>>
  /** Null until the fields are valid. For a month: `volume` in reais, costs in cents. */
  result: { fee: Fee; volume: number; sales: number; cost: number; today: number | null } | null
}

const MAX_VOLUME = 1_000_000_000

/** What a month costs, from the address of `/taxas`. Without a query: an empty form. */
export function simulate(fees: readonly Fee[], query: string): Simulation {
  const typed = new URLSearchParams(query)
  const read = (name: FieldName) => (typed.get(FEE_FIELDS[name]) ?? '').trim().slice(0, 40)
  const values = {
    volume: read('volume'),
    ticket: read('ticket'),
    method: read('method'),
    today: read('today'),
  }
  const errors: Simulation['errors'] = {}
  if (Object.values(FEE_FIELDS).every((name) => !typed.has(name))) return { values, errors, result: null }
  const volume = parseNumber(values.volume)
  const ticket = parseNumber(values.ticket)
  const today = values.today === '' ? null : parseNumber(values.today)
  const fee = values.method === '' ? fees[0] : fees.find(({ method }) => method === values.method)
  if (volume === null || volume < 1 || volume > MAX_VOLUME)
    errors.volume = 'Digite quanto você vende por mês, em reais. Exemplo: 50.000'
  if (ticket === null || ticket < 0.01 || (volume !== null && ticket > volume))
    errors.ticket = 'Digite o valor médio de uma venda, até o total do mês. Exemplo: 49,90'
  if (fee === undefined) errors.method = 'Escolha o meio de pagamento.'
  if (values.today !== '' && (today === null || today > 100))
    errors.today = 'Digite a taxa total que você paga hoje, de 0 a 100%. Exemplo: 4,99'
  if (Object.keys(errors).length > 0 || volume === null || ticket === null || fee === undefined)
    return { values, errors, result: null }
  const sales = Math.round(volume / ticket)
  return {
    values,
    errors,
    result: {
      fee,
      volume,
      sales,
      cost: Math.round(volume * fee.percent + sales * fee.fixed_cents),
      today: today === null ? null : Math.round(volume * today),
    },
  }
}

/** A number as Brazilians write it: `50.000`, `49,90`, `R$ 1.234,56`; also `49.90`. Null if it is none. */
export function parseNumber(text: string): number | null {
  const bare = text.replace(/^R\$|%$/g, '').replaceAll(' ', '')
  if (/^\d{1,3}(\.\d{3})+(,\d+)?$/.test(bare)) return Number(bare.replaceAll('.', '').replace(',', '.'))
  return /^\d+([.,]\d+)?$/.test(bare) ? Number(bare.replace(',', '.')) : null
}
