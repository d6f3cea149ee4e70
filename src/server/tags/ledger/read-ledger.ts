import { DELIVERY_STATES, type DeliveryState } from '#contract/conversions.ts'
import type { LedgerRow, PixelLedger } from '#contract/visit-results.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/app-error.ts'
import { readCopies } from './read-copies.ts'
import type { LedgerRange } from './read-ledger-range.ts'

/** What became of the visits in which a pixel was offered, by hour or by day. Times that have not begun yet are left out. */
export async function readLedger(
  db: Db,
  pixelId: string,
  { step, edges }: LedgerRange,
  now = Date.now(),
): Promise<PixelLedger> {
  const [from = now] = edges
  const to = edges.at(-1) ?? now
  const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const [pixel, hours, copies] = await Promise.all([
    db
      .selectFrom('tracking_pixels')
      .select('delivery')
      .where('id', '=', pixelId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst(),
    db
      .selectFrom('tag_reports')
      .select(['hour', 'ran', 'blocked', 'failed', 'not_consented'])
      .where('pixel_id', '=', pixelId)
      .where('hour', '>=', span.from)
      .where('hour', '<', span.to)
      .execute(),
    readCopies(db, pixelId, span),
  ])
  if (pixel === undefined) throw new AppError(404, 'not_found', 'Pixel não encontrado.')
  const rows = edges.slice(0, -1).map((edge) => new Sum(edge))
  for (const hour of hours) {
    const time = Date.parse(hour.hour)
    const index = edges.findLastIndex((edge) => edge <= time)
    rows[index]?.add(hour)
  }
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

interface HourCounts {
  ran: number
  blocked: number
  failed: number
  not_consented: number | null
}

class Sum {
  readonly start: number
  #reached = 0
  #blocked = 0
  #failed = 0
  /** Null once an hour is among them in which nobody counted. */
  #refused: number | null = 0

  constructor(start: number) {
    this.start = start
  }

  add({ ran, blocked, failed, not_consented: refused }: HourCounts): void {
    this.#reached += ran
    this.#blocked += blocked
    this.#failed += failed
    // Below zero only until another process has written what it counted.
    this.#refused = refused === null || this.#refused === null ? null : this.#refused + Math.max(0, refused)
  }

  toRow(): LedgerRow {
    const known = { blocked: this.#blocked, failed: this.#failed, reached: this.#reached }
    const from = new Date(this.start).toISOString()
    if (this.#refused === null) return { from, ...known }
    const offered = this.#refused + this.#blocked + this.#failed + this.#reached
    return { from, offered, not_consented: this.#refused, ...known }
  }
}
