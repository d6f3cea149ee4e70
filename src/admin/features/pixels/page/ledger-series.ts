import type { LedgerRow, LedgerStep } from '#contract/ledger.ts'
import { SITE_TIME_ZONE } from '#contract/site-time-zone.ts'

export type SeriesKey = 'not_consented' | 'blocked' | 'failed' | 'reached'

/** From the top of a column to its ground. */
export const SERIES = [
  { key: 'not_consented', label: 'Sem consentimento', colour: 'bar-refused' },
  { key: 'blocked', label: 'Bloqueado', colour: 'bar-blocked' },
  { key: 'failed', label: 'Falhou', colour: 'bar-failed' },
  { key: 'reached', label: 'Rodou', colour: 'bar-reached' },
] as const satisfies { key: SeriesKey; label: string; colour: string }[]

export interface LedgerSum {
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

/** As tall as its column: what was counted. */
export function heightOf(row: LedgerRow): number {
  return (row.not_consented ?? 0) + row.blocked + row.failed + row.reached
}

/** The end of the axis: the first round number that divides by four, or into whole visits. */
export function roundUp(most: number): number {
  if (most <= 4) return 4
  const power = 10 ** Math.floor(Math.log10(most))
  for (const factor of [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10]) {
    const end = factor * power
    if (end >= most && end % 4 === 0) return end
  }
  return Math.ceil(most / 4) * 4
}

const HOUR = new Intl.DateTimeFormat('pt-BR', { hour: '2-digit', hourCycle: 'h23', timeZone: SITE_TIME_ZONE })
const DAY = new Intl.DateTimeFormat('pt-BR', { day: '2-digit', month: '2-digit', timeZone: SITE_TIME_ZONE })
const WEEKDAY = new Intl.DateTimeFormat('pt-BR', {
  weekday: 'long',
  day: '2-digit',
  month: '2-digit',
  timeZone: SITE_TIME_ZONE,
})

/** "15h", "08/11": under the axis and in the table. */
export function shortLabel(row: LedgerRow, step: LedgerStep): string {
  const date = new Date(row.from)
  return step === 'hour' ? `${HOUR.format(date)}h` : DAY.format(date)
}

/** "domingo, 15/11, 15h". */
export function longLabel(row: LedgerRow, step: LedgerStep): string {
  const date = new Date(row.from)
  return step === 'hour' ? `${WEEKDAY.format(date)}, ${HOUR.format(date)}h` : WEEKDAY.format(date)
}
