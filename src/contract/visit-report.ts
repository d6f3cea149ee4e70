/** What is counted of visits and how it is shown, without the schemas of `visits.ts`, which the dashboard does not need. */

/** Clicks that are counted for everybody: "Abrir Conta" and "Falar com Especialista". */
export const CLICKS = ['lead', 'contact'] as const
export type Click = (typeof CLICKS)[number]

/** Breakdowns of visits, and filters of the same names. */
export const VISIT_DIMENSIONS = ['channel', 'campaign', 'source', 'medium', 'term', 'device'] as const
export type VisitDimension = (typeof VISIT_DIMENSIONS)[number]

const CHANNELS = [
  'paid_search',
  'paid_social',
  'paid_other',
  'organic_search',
  'social',
  'email',
  'ai',
  'referral',
  'campaign',
  'direct',
] as const
export type Channel = (typeof CHANNELS)[number]

const CHANNEL_NAMES: Record<Channel, string> = {
  paid_search: 'Busca paga',
  paid_social: 'Social pago',
  paid_other: 'Outros pagos',
  organic_search: 'Busca orgânica',
  social: 'Social',
  email: 'E-mail',
  ai: 'Assistentes de IA',
  referral: 'Referência',
  campaign: 'Campanha sem canal',
  direct: 'Direto ou desconhecido',
}

const DEVICES = ['phone', 'tablet', 'desktop'] as const
export type Device = (typeof DEVICES)[number]

const DEVICE_NAMES: Record<Device, string> = {
  phone: 'Celular',
  tablet: 'Tablet',
  desktop: 'Computador',
}

/** Values of a dimension beyond the day's limit, and values that may name a person. No other value is stored as this. */
export const OTHERS = '*'

/** Smaller numbers of a breakdown are not shown: they could describe one person. */
export const MIN_CELL = 5

export const FEW = 'menos de 5'

const NO_VALUE: Record<VisitDimension, string> = {
  channel: '',
  campaign: 'Sem campanha',
  source: 'Acesso direto',
  medium: 'Sem mídia',
  term: 'Sem termo',
  device: '',
}

/** A value of a dimension as people read it. */
export function nameOfValue(dimension: VisitDimension, value: string): string {
  if (value === OTHERS) return 'Outros'
  if (value === '') return NO_VALUE[dimension]
  const names: Record<string, string> =
    dimension === 'channel' ? CHANNEL_NAMES : dimension === 'device' ? DEVICE_NAMES : {}
  return names[value] ?? value
}

export const VISIT_STEPS = ['hour', 'day', 'month'] as const
export type VisitStep = (typeof VISIT_STEPS)[number]

/** Null: fewer than `MIN_CELL`, but not none. */
export type Cell = number | null

type ClickCells = Record<Click, Cell>

/** One point of the series. */
export interface VisitPoint {
  /** Start of the hour, day or month. */
  at: string
  visits: Cell
  visitors: Cell
  clicks: ClickCells
}

/** One value of the chosen dimension. */
export interface VisitRow {
  /** Empty: the visit had none. `*`: others. */
  key: string
  visits: Cell
  visitors: Cell
  clicks: ClickCells
  /** "Abrir Conta" clicks per visit. Null where one of the two is not shown. */
  rate: number | null
  /** Outcomes that are tied to a visit. Only by channel or campaign, and without a filter by anything else. */
  results?: Cell
  /** Their value, one total for each currency; empty where `results` is not shown. */
  values?: OutcomeTotal[]
}

/** How often a page of the site was opened. */
export interface VisitedPage {
  path: string
  views: Cell
}

/** An exact decimal: `62410.00`. */
export interface OutcomeTotal {
  currency: string
  total: string
}

/** `GET /admin/api/visits`. Days are the site's. */
export interface VisitReport {
  /** False: `VISIT_COUNTS=off`. */
  is_on: boolean
  /** When counting began; null if it has not. */
  since: string | null
  totals: {
    /** Null with a filter: views, subscriptions and robots have no source. */
    views: number | null
    visits: Cell
    visitors: Cell
    clicks: ClickCells
    /** Outcomes tied to a visit; absent with a filter that outcomes do not know. */
    results?: Cell
    subscriptions: number | null
    robots: number | null
  }
  series: VisitPoint[]
  /** Most visits first. */
  rows: VisitRow[]
  /** Most views first; empty with a filter, because views have no source. */
  pages: VisitedPage[]
  /** Days on which the database lost the keys of the day, so that visitors may be counted twice. */
  estimated_days: string[]
  /** Most requests show the address of a proxy: visitors cannot be told apart. */
  hides_addresses: boolean
}
