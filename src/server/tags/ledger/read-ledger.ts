import type { LedgerRow, PixelLedger } from '#contract/ledger.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/app-error.ts'
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
  const [pixel, hours] = await Promise.all([
    db.selectFrom('tracking_pixels').select('id').where('id', '=', pixelId).executeTakeFirst(),
    db
      .selectFrom('tag_reports')
      .select(['hour', 'ran', 'blocked', 'failed', 'not_consented'])
      .where('pixel_id', '=', pixelId)
      .where('hour', '>=', new Date(from).toISOString())
      .where('hour', '<', new Date(to).toISOString())
      .execute(),
  ])
  if (pixel === undefined) throw new AppError(404, 'not_found', 'Pixel não encontrado.')
  const rows = edges.slice(0, -1).map((edge) => new Sum(edge))
  for (const hour of hours) {
    const time = Date.parse(hour.hour)
    const index = edges.findLastIndex((edge) => edge <= time)
    rows[index]?.add(hour)
  }
  return {
    step,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    rows: rows.filter(({ start }) => start <= now).map((sum) => sum.toRow()),
  }
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
