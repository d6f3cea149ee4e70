import { formatDayMonth, formatHour, formatList, formatNumber, formatWeekday } from '#admin/lib/format.ts'
import type { DeliveryState } from '#contract/conversions.ts'
import { formatCount } from '#contract/format-count.ts'
import type { PixelType } from '#contract/pixel.ts'
import type { LedgerRow, LedgerStep } from '#contract/visit-results.ts'
import { ANSWERERS } from '../sending.ts'

/** What became of the server's copies, in a sentence; null where none were counted. Only an answer is called accepted or refused. */
export function describeCopies(type: PixelType, rows: readonly LedgerRow[]): string | null {
  const { parts, total } = sumSet(rows, copiesOf(type, rows))
  if (total === null) return null
  if (total === 0) return 'O servidor não teve cópia a enviar nas últimas 24 horas.'
  const count = (key: keyof typeof parts) => parts[key] ?? 0
  const { who } = ANSWERERS[type]
  const answers = [
    ...(count('accepted') > 0 ? [`aceitou ${formatNumber(count('accepted'))}`] : []),
    ...(count('refused') > 0 ? [`recusou ${formatNumber(count('refused'))}`] : []),
  ]
  const others = [
    ...say(count('unconfirmed'), 'foi enviada', 'foram enviadas'),
    ...say(count('waiting'), 'aguarda', 'aguardam'),
    ...say(count('expired'), 'expirou', 'expiraram'),
    ...say(count('withheld'), 'foi retida', 'foram retidas'),
  ]
  const clauses = [
    ...(answers.length === 0 ? [] : [`${who} ${formatList(answers)}`]),
    ...(others.length === 0 ? [] : [formatList(others)]),
    ...(count('unconfirmed') > 0 ? [`${who} não confirma`] : []),
  ]
  return `Das cópias do servidor, ${clauses.join('; ')}.`
}

function say(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [formatCount(count, one, many)]
}

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
      ? `Nas últimas 24 horas, rodou sem impedimento ${agreed === 1 ? 'na única visita' : `nas ${formatNumber(agreed)} visitas`} com consentimento`
      : `Nas últimas 24 horas, rodou sem impedimento em ${formatNumber(reached)} de ${formatCount(agreed, 'visita', 'visitas')} com consentimento`
  const stopped = [
    blocked === 0
      ? null
      : `${formatCount(blocked, 'foi barrada', 'foram barradas')} por bloqueadores ou pela rede`,
    failed === 0 ? null : formatCount(failed, 'falhou', 'falharam'),
  ].filter((part) => part !== null)
  return `${[start, ...(stopped.length === 0 ? [] : [stopped.join(' e ')])].join('; ')}.`
}

type SeriesKey = 'not_consented' | 'blocked' | 'failed' | 'reached' | DeliveryState

interface Series {
  key: SeriesKey
  label: string
  colour: string
}

/** Parts that always come to their total: what became of visits, or of the server's copies. */
export interface ResultSet {
  /** From the top of a column to its ground. */
  series: readonly Series[]
  total: 'offered' | 'events'
  totalLabel: string
  /** For whoever hears the chart. */
  chartLabel: Record<LedgerStep, string>
  /** True where a part that is not known for all of the time has no sum. */
  needsAll: boolean
}

export const VISITS: ResultSet = {
  series: [
    { key: 'not_consented', label: 'Sem consentimento', colour: 'bar-refused' },
    { key: 'blocked', label: 'Bloqueado', colour: 'bar-blocked' },
    { key: 'failed', label: 'Falhou', colour: 'bar-failed' },
    { key: 'reached', label: 'Rodou', colour: 'bar-reached' },
  ],
  total: 'offered',
  totalLabel: 'Visitas com escolha',
  chartLabel: { hour: 'Visitas por hora', day: 'Visitas por dia' },
  needsAll: true,
}

const COPIES: ResultSet = {
  series: [
    { key: 'withheld', label: 'Retido', colour: 'bar-refused' },
    { key: 'expired', label: 'Expirado', colour: 'bar-blocked' },
    { key: 'refused', label: 'Recusado', colour: 'bar-rejected' },
    { key: 'waiting', label: 'Aguardando', colour: 'bar-waiting' },
    { key: 'unconfirmed', label: 'Enviado, sem confirmação', colour: 'bar-unconfirmed' },
    { key: 'accepted', label: 'Aceito', colour: 'bar-reached' },
  ],
  total: 'events',
  totalLabel: 'Cópias do servidor',
  chartLabel: { hour: 'Cópias do servidor por hora', day: 'Cópias do servidor por dia' },
  // Hours in which the server was not set to send have none, and the others are whole without them.
  needsAll: false,
}

/** The copies' parts, without the one that the vendor never gives: of Google's silence "0 aceitos" would say too much. */
export function copiesOf(type: PixelType, rows: readonly LedgerRow[]): ResultSet {
  const never = type === 'google_analytics' ? 'accepted' : 'unconfirmed'
  return {
    ...COPIES,
    series: COPIES.series.filter(({ key }) => key !== never || rows.some((row) => (row[key] ?? 0) > 0)),
  }
}

export interface SetSum {
  parts: Partial<Record<SeriesKey, number | null>>
  /** Null, like a part, where it was not counted. */
  total: number | null
}

export function sumSet(rows: readonly LedgerRow[], { series, total, needsAll }: ResultSet): SetSum {
  const add = (key: SeriesKey | ResultSet['total']) => {
    const counted = rows.map((row) => row[key]).filter((count) => count !== undefined)
    const isKnown = needsAll ? counted.length === rows.length : counted.length > 0
    return isKnown ? counted.reduce((sum, count) => sum + count, 0) : null
  }
  return { parts: Object.fromEntries(series.map(({ key }) => [key, add(key)])), total: add(total) }
}

interface LedgerSum {
  /** Null where it was not counted in all of them. */
  offered: number | null
  not_consented: number | null
  blocked: number
  failed: number
  reached: number
}

export function sumRows(rows: readonly LedgerRow[]): LedgerSum {
  const add = (key: 'blocked' | 'failed' | 'reached') => rows.reduce((sum, row) => sum + row[key], 0)
  const isWhole = rows.every(({ offered }) => offered !== undefined)
  const whole = (key: 'offered' | 'not_consented') =>
    isWhole ? rows.reduce((sum, row) => sum + (row[key] ?? 0), 0) : null
  return {
    offered: whole('offered'),
    not_consented: whole('not_consented'),
    blocked: add('blocked'),
    failed: add('failed'),
    reached: add('reached'),
  }
}

/** "15h", "08/11": under the axis and in the table. */
export function shortLabel(row: LedgerRow, step: LedgerStep): string {
  return step === 'hour' ? formatHour(row.from) : formatDayMonth(row.from)
}

/** "domingo, 15/11, 15h". */
export function longLabel(row: LedgerRow, step: LedgerStep): string {
  const day = formatWeekday(row.from)
  return step === 'hour' ? `${day}, ${formatHour(row.from)}` : day
}
