import * as z from 'zod/mini'
import { DELIVERY_STATES, type DeliveryState } from '#contract/conversions.ts'
import { DAY_MS, HOUR_MS } from '#contract/durations.ts'
import { nextSiteDay, siteDate, startOfSiteDate, startOfSiteDay } from '#contract/site.ts'
import {
  VISIT_RESULT_MAX_DAYS,
  VISIT_RESULT_STEPS,
  type VisitResultRow,
  type VisitResultStep,
  type VisitResults,
} from '#contract/visit-results.ts'
import { readRefusals } from '#server/consent/choice-counts.ts'
import { readCopies } from '#server/conversions/delivery-results.ts'
import { readPixel } from '#server/conversions/read-pixel.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/errors.ts'
import { readCounts } from '#server/stats/counts.ts'
import type { SeriesKeys } from '#server/stats/series.ts'

/** Visit results of a pixel by hour or day. Times in the future are left out. */
export async function readVisitResults(
  db: Db,
  pixelId: string,
  { step, edges }: VisitResultRange,
  now = Date.now(),
): Promise<VisitResults> {
  const [from = now] = edges
  const to = edges.at(-1) ?? now
  const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const [pixel, results, refusals, copies] = await Promise.all([
    readPixel(db, pixelId, ['delivery']),
    readCounts(db, { series: 'tag.result', resolution: step, subject: pixelId, from, to }),
    readRefusals(db, pixelId, { step, from, to }),
    readCopies(db, pixelId, { step, ...span }),
  ])
  const rows = edges.slice(0, -1).map((edge) => new Sum(edge))
  const rowAt = (at: string) => {
    const time = Date.parse(at)
    return edges.findLastIndex((edge) => edge <= time)
  }
  for (const { at, key, count } of results) rows[rowAt(at)]?.add(key, count)
  for (const { at, count } of refusals) rows[rowAt(at)]?.add('not_consented', count)
  const sums = rows.map(() => new Map<DeliveryState, number>())
  for (const { at, state, count } of copies) {
    const sum = sums[rowAt(at)]
    sum?.set(state, (sum.get(state) ?? 0) + count)
  }
  const isSending = pixel.delivery !== 'browser'
  return {
    step,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    rows: rows
      .map((sum, index) => ({ ...sum.toRow(), ...copyColumns(sums[index] ?? new Map(), isSending) }))
      .filter((row) => Date.parse(row.from) <= now),
  }
}

/** All seven or none: what is not counted is absent, not zero. */
function copyColumns(sum: ReadonlyMap<DeliveryState, number>, isSending: boolean): Partial<VisitResultRow> {
  if (sum.size === 0 && !isSending) return {}
  const states = Object.fromEntries(DELIVERY_STATES.map((state) => [state, sum.get(state) ?? 0]))
  return { events: Object.values(states).reduce((total, count) => total + count, 0), ...states }
}

class Sum {
  readonly start: number
  readonly #counts = new Map<SeriesKeys['tag.result'], number>()

  constructor(start: number) {
    this.start = start
  }

  add(key: SeriesKeys['tag.result'], count: number): void {
    this.#counts.set(key, this.#of(key) + count)
  }

  toRow(): VisitResultRow {
    const known = { blocked: this.#of('blocked'), failed: this.#of('failed'), reached: this.#of('ran') }
    const from = new Date(this.start).toISOString()
    if (this.#of('refusals_unknown') > 0) return { from, ...known }
    // Below zero only until another process has written its counts.
    const refused = Math.max(0, this.#of('not_consented'))
    const offered = refused + known.blocked + known.failed + known.reached
    return { from, offered, not_consented: refused, ...known }
  }

  #of(key: SeriesKeys['tag.result']): number {
    return this.#counts.get(key) ?? 0
  }
}

/** Back to the start of the first of 24 hours, or of 30 days. */
const DEFAULT_MS: Record<VisitResultStep, number> = { hour: 23 * HOUR_MS, day: 29 * DAY_MS }

const YEARS = /^20[2-9]\d-/

interface VisitResultRange {
  step: VisitResultStep
  /** Starts of hours or days of the site; the last one is the exclusive end. */
  edges: number[]
}

const date = z.iso.date()

const moment = z.iso.datetime({ offset: true })

const stepSchema = z.enum(VISIT_RESULT_STEPS)

/**
 * `from` and `to` are times, or dates of the site with `to` included. Both are widened to whole steps. `to` defaults to
 * now; `from` to the last day by hours, or the last thirty by days.
 */
export function readVisitResultsBetween(query: unknown, now = Date.now()): VisitResultRange {
  const { from, to, step: stepText } = query as Record<string, unknown>
  const parsed = stepSchema.safeParse(stepText ?? 'day')
  if (!parsed.success) throw bad('Escolha "hour" (por hora) ou "day" (por dia).')
  const step = parsed.data
  const end = to === undefined ? now : readTime(to, 'to')
  const start = from === undefined ? end - DEFAULT_MS[step] : readTime(from, 'from')
  if (start >= end) throw bad('A data inicial precisa vir antes da final.')
  const maxDays = VISIT_RESULT_MAX_DAYS[step]
  // One more day, for the widening.
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
  const what = name === 'from' ? 'A data inicial ("from")' : 'A data final ("to")'
  return `${what} precisa ser uma data a partir de 2020, como ${siteDate(Date.now())}, ou um horário ISO 8601.`
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
