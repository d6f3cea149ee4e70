import * as z from 'zod/mini'
import { DELIVERY_STATES, type DeliveryState } from '#contract/conversions.ts'
import { nextSiteDay, siteDate, startOfSiteDate, startOfSiteDay } from '#contract/site.ts'
import {
  LEDGER_MAX_DAYS,
  LEDGER_STEPS,
  type LedgerRow,
  type LedgerStep,
  type PixelLedger,
} from '#contract/visit-results.ts'
import { readCopies } from '#server/conversions/outcomes.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/errors.ts'
import { readCounts } from '#server/stats/counts.ts'
import type { SeriesKeys } from '#server/stats/series.ts'

/** What became of the visits in which a pixel was offered, by hour or by day. Times that have not begun yet are left out. */
export async function readVisitResults(
  db: Db,
  pixelId: string,
  { step, edges }: LedgerRange,
  now = Date.now(),
): Promise<PixelLedger> {
  const [from = now] = edges
  const to = edges.at(-1) ?? now
  const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const [pixel, results, copies] = await Promise.all([
    db
      .selectFrom('tracking_pixels')
      .select('delivery')
      .where('id', '=', pixelId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst(),
    readCounts(db, { series: 'tag.result', resolution: step, subject: pixelId, from, to }),
    readCopies(db, pixelId, { step, ...span }),
  ])
  if (pixel === undefined) throw new AppError(404, 'not_found', 'Pixel não encontrado.')
  const rows = edges.slice(0, -1).map((edge) => new Sum(edge))
  for (const { at, key, count } of results)
    rows[edges.findLastIndex((edge) => edge <= Date.parse(at))]?.add(key, count)
  const sums = rows.map(() => new Map<DeliveryState, number>())
  for (const { at, state, count } of copies) {
    const sum = sums[edges.findLastIndex((edge) => edge <= Date.parse(at))]
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

/** All seven or none: what nobody counts is absent, and no zero. */
function copyColumns(sum: ReadonlyMap<DeliveryState, number>, isSending: boolean): Partial<LedgerRow> {
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

  toRow(): LedgerRow {
    const known = { blocked: this.#of('blocked'), failed: this.#of('failed'), reached: this.#of('ran') }
    const from = new Date(this.start).toISOString()
    if (this.#of('refusals_unknown') > 0) return { from, ...known }
    // Below zero only until another process has written what it counted.
    const refused = Math.max(0, this.#of('not_consented'))
    const offered = refused + known.blocked + known.failed + known.reached
    return { from, offered, not_consented: refused, ...known }
  }

  #of(key: SeriesKeys['tag.result']): number {
    return this.#counts.get(key) ?? 0
  }
}

const HOUR_MS = 3_600_000

const DAY_MS = 86_400_000

/** To the beginning of the first of 24 hours, or of thirty days. */
const DEFAULT_MS: Record<LedgerStep, number> = { hour: 23 * HOUR_MS, day: 29 * DAY_MS }

const YEARS = /^20[2-9]\d-/

interface LedgerRange {
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
export function readVisitResultsBetween(query: unknown, now = Date.now()): LedgerRange {
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
