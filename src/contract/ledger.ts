import type { Conversion } from './conversion.ts'

export const LEDGER_STEPS = ['hour', 'day'] as const
export type LedgerStep = (typeof LEDGER_STEPS)[number]

/** The longest range that is told by each step. */
export const LEDGER_MAX_DAYS: Record<LedgerStep, number> = { hour: 14, day: 400 }

/**
 * What became of the visits in which a pixel was offered: `offered` is always the sum of the other four. A visit is in
 * exactly one of them (docs/evidence.md).
 */
export interface LedgerRow {
  /** Start of the hour or of the site's day, ISO 8601 in UTC. */
  from: string
  /** With `not_consented` absent for times in which refusals were not counted yet: what is not known is no zero. */
  offered?: number
  not_consented?: number
  blocked: number
  failed: number
  reached: number
  /**
   * What became of the server's copies: `events` is always the sum of the other six. Absent where the server told the
   * vendor nothing in that time and is not set to.
   */
  events?: number
  accepted?: number
  unconfirmed?: number
  refused?: number
  waiting?: number
  expired?: number
  withheld?: number
}

/** `GET /admin/api/pixels/ID/ledger?from&to&step`: hours and days without a visit are there, those to come are not. */
export interface PixelLedger {
  step: LedgerStep
  from: string
  /** Not included. */
  to: string
  rows: LedgerRow[]
}

/** `GET /admin/api/pixels/ID/conversions`: how often a page told the vendor of each in the last 24 hours. */
export interface ConversionCount {
  conversion: Conversion
  count: number
}
