import { formatDayMonth, formatHour, formatList, formatNumber, formatWeekday } from '#admin/lib/format.ts'
import type { DeliveryState, ServedDestination } from '#contract/conversions.ts'
import { formatCount } from '#contract/format-count.ts'
import type { PixelType } from '#contract/pixel.ts'
import type { VisitResultRow, VisitResultStep } from '#contract/visit-results.ts'
import { answererOf } from '../sending.ts'

/**
 * Results of events sent by the server, as a sentence; null if none were counted. Only an answer counts as accepted or
 * refused.
 */
export function describeCopies(
  type: PixelType,
  rows: readonly VisitResultRow[],
  vendor: ServedDestination | null = null,
): string | null {
  const { parts, total } = sumSet(rows, copiesOf(type, rows))
  if (total === null) return null
  if (total === 0) return 'O servidor não enviou eventos nas últimas 24 horas.'
  const count = (key: keyof typeof parts) => parts[key] ?? 0
  const { who } = answererOf(type, vendor)
  const answers = [
    ...(count('accepted') > 0 ? [`aceitou ${formatNumber(count('accepted'))}`] : []),
    ...(count('refused') > 0 ? [`recusou ${formatNumber(count('refused'))}`] : []),
  ]
  const others = [
    ...say(count('unconfirmed'), 'foi enviado', 'foram enviados'),
    ...say(count('waiting'), 'está na fila', 'estão na fila'),
    ...say(count('expired'), 'expirou', 'expiraram'),
    ...say(
      count('withheld'),
      'não foi enviado (consentimento retirado ou evento desligado)',
      'não foram enviados (consentimento retirado ou evento desligado)',
    ),
  ]
  const clauses = [
    ...(answers.length === 0 ? [] : [`${who} ${formatList(answers)}`]),
    ...(others.length === 0 ? [] : [formatList(others)]),
    ...(count('unconfirmed') === 0
      ? []
      : [vendor?.confirms_later ? `${who} só confirma depois` : `${who} não confirma o recebimento`]),
  ]
  return `Envio pelo servidor: ${clauses.join('; ')}.`
}

function say(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [formatCount(count, one, many)]
}

/**
 * Results of consented visits, as a sentence. It names who stopped the tag, and does not claim that anything arrived.
 */
export function describeVisits({ blocked, failed, reached, not_consented: refused }: VisitSum): string {
  const agreed = blocked + failed + reached
  if (agreed === 0) {
    return refused === null || refused === 0
      ? 'Nenhuma visita nas últimas 24 horas.'
      : `Nas últimas 24 horas, ${formatCount(refused, 'visita recusou', 'visitas recusaram')} os cookies desta tag. Nenhuma visita com consentimento foi registrada.`
  }
  const start =
    reached === agreed
      ? `Nas últimas 24 horas, rodou normalmente ${agreed === 1 ? 'na única visita' : `nas ${formatNumber(agreed)} visitas`} com consentimento`
      : `Nas últimas 24 horas, rodou normalmente em ${formatNumber(reached)} de ${formatCount(agreed, 'visita', 'visitas')} com consentimento`
  const stopped = [
    blocked === 0
      ? null
      : `em ${formatNumber(blocked)} foi bloqueada por bloqueadores de anúncios ou pela rede`,
    failed === 0 ? null : `em ${formatNumber(failed)} falhou`,
  ].filter((part) => part !== null)
  return `${[start, ...(stopped.length === 0 ? [] : [stopped.join(' e ')])].join('; ')}.`
}

type SeriesKey = 'not_consented' | 'blocked' | 'failed' | 'reached' | DeliveryState

interface Series {
  key: SeriesKey
  label: string
  colour: string
}

/** Parts that add up to their total: results of visits, or of events sent by the server. */
export interface ResultSet {
  /** From top to bottom. */
  series: readonly Series[]
  total: 'offered' | 'events'
  totalLabel: string
  /** For screen readers. */
  chartLabel: Record<VisitResultStep, string>
  /** True if a part that is partly unknown has no sum. */
  needsAll: boolean
}

export const VISITS: ResultSet = {
  series: [
    { key: 'not_consented', label: 'Sem consentimento', colour: 'bar-refused' },
    { key: 'blocked', label: 'Bloqueada', colour: 'bar-blocked' },
    { key: 'failed', label: 'Falhou', colour: 'bar-failed' },
    { key: 'reached', label: 'Rodou', colour: 'bar-reached' },
  ],
  total: 'offered',
  totalLabel: 'Visitas com resposta',
  chartLabel: { hour: 'Visitas por hora', day: 'Visitas por dia' },
  needsAll: true,
}

const COPIES: ResultSet = {
  series: [
    { key: 'withheld', label: 'Não enviado', colour: 'bar-refused' },
    { key: 'expired', label: 'Expirado', colour: 'bar-blocked' },
    { key: 'refused', label: 'Recusado', colour: 'bar-rejected' },
    { key: 'waiting', label: 'Na fila', colour: 'bar-waiting' },
    { key: 'unconfirmed', label: 'Enviado, sem confirmação', colour: 'bar-unconfirmed' },
    { key: 'accepted', label: 'Aceito', colour: 'bar-reached' },
  ],
  total: 'events',
  totalLabel: 'Total de envios',
  chartLabel: { hour: 'Envios pelo servidor por hora', day: 'Envios pelo servidor por dia' },
  // Hours in which the server did not send have no values; the others are complete.
  needsAll: false,
}

/** The parts for server events, without those that the vendor never reports: "0 aceitos" would be wrong for Google. */
export function copiesOf(type: PixelType, rows: readonly VisitResultRow[]): ResultSet {
  const never = type === 'google_analytics' ? 'accepted' : 'unconfirmed'
  return {
    ...COPIES,
    series: COPIES.series.filter(({ key }) => key !== never || rows.some((row) => (row[key] ?? 0) > 0)),
  }
}

export interface SetSum {
  parts: Partial<Record<SeriesKey, number | null>>
  /** Null if it was not counted. */
  total: number | null
}

export function sumSet(rows: readonly VisitResultRow[], { series, total, needsAll }: ResultSet): SetSum {
  const add = (key: SeriesKey | ResultSet['total']) => {
    const counted = rows.map((row) => row[key]).filter((count) => count !== undefined)
    const isKnown = needsAll ? counted.length === rows.length : counted.length > 0
    return isKnown ? counted.reduce((sum, count) => sum + count, 0) : null
  }
  return { parts: Object.fromEntries(series.map(({ key }) => [key, add(key)])), total: add(total) }
}

interface VisitSum {
  /** Null if it was not counted everywhere. */
  offered: number | null
  not_consented: number | null
  blocked: number
  failed: number
  reached: number
}

export function sumRows(rows: readonly VisitResultRow[]): VisitSum {
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

/** "15h", "08/11": for axis and table. */
export function shortLabel(row: VisitResultRow, step: VisitResultStep): string {
  return step === 'hour' ? formatHour(row.from) : formatDayMonth(row.from)
}

/** "domingo, 15/11, 15h". */
export function longLabel(row: VisitResultRow, step: VisitResultStep): string {
  const day = formatWeekday(row.from)
  return step === 'hour' ? `${day}, ${formatHour(row.from)}` : day
}
