import * as z from 'zod/mini'
import { nextSiteDay, siteDate, startOfSiteDate, startOfSiteDay } from '#contract/site.ts'
import { LEDGER_MAX_DAYS, LEDGER_STEPS, type LedgerStep } from '#contract/visit-results.ts'
import { AppError } from '#server/http/app-error.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** To the beginning of the first of 24 hours, or of thirty days. */
const DEFAULT_MS: Record<LedgerStep, number> = { hour: 23 * HOUR_MS, day: 29 * DAY_MS }
const YEARS = /^20[2-9]\d-/

export interface LedgerRange {
  step: LedgerStep
  /** Starts of hours or of the site's days; the last one is the end, and not in the range. */
  edges: number[]
}

const date = z.iso.date()
const moment = z.iso.datetime({ offset: true })
const stepSchema = z.enum(LEDGER_STEPS)

/**
 * `from` and `to` are moments, or dates of the site, of which `to` is the last one meant. Both are widened to whole steps.
 * Without `to` it is now, without `from` the last day by hours, or the last thirty by days.
 */
export function readLedgerRange(query: unknown, now = Date.now()): LedgerRange {
  const { from, to, step: stepText } = query as Record<string, unknown>
  const parsed = stepSchema.safeParse(stepText ?? 'day')
  if (!parsed.success) throw bad('O passo precisa ser "hour" (hora) ou "day" (dia).')
  const step = parsed.data
  const end = to === undefined ? now : readTime(to, 'to')
  const start = from === undefined ? end - DEFAULT_MS[step] : readTime(from, 'from')
  if (start >= end) throw bad('O início do período precisa vir antes do fim.')
  const maxDays = LEDGER_MAX_DAYS[step]
  // A day more, for the widening.
  if (end - start > (maxDays + 1) * DAY_MS) {
    const unit = step === 'hour' ? 'Por hora' : 'Por dia'
    throw bad(`${unit}, o período pode ter até ${maxDays} dias.`)
  }
  return { step, edges: step === 'hour' ? hourEdges(start, end) : dayEdges(start, end) }
}

function readTime(value: unknown, name: 'from' | 'to'): number {
  if (typeof value === 'string' && !YEARS.test(value)) throw bad(explain(name))
  if (date.safeParse(value).success) {
    const start = startOfSiteDate(value as string)
    return name === 'from' ? start : nextSiteDay(start)
  }
  if (moment.safeParse(value).success) return Date.parse(value as string)
  throw bad(explain(name))
}

function explain(name: 'from' | 'to'): string {
  const what = name === 'from' ? 'O início ("from")' : 'O fim ("to")'
  return `${what} precisa ser uma data a partir de 2020, como ${siteDate(Date.now())}, ou um momento ISO 8601.`
}

function hourEdges(start: number, end: number): number[] {
  const edges = [Math.floor(start / HOUR_MS) * HOUR_MS]
  while ((edges.at(-1) ?? end) < end) edges.push((edges.at(-1) ?? 0) + HOUR_MS)
  return edges
}

function dayEdges(start: number, end: number): number[] {
  const edges = [startOfSiteDay(start)]
  while ((edges.at(-1) ?? end) < end) edges.push(nextSiteDay(edges.at(-1) ?? 0))
  return edges
}

function bad(message: string): AppError {
  return new AppError(400, 'bad_range', message)
}
