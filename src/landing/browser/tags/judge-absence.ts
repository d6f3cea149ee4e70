import type { Engine } from './judge-request.ts'

/** A request is in the timeline when it ends, so that a slow browser needs several times as long as its others took. */
const PATIENCE = 4

export interface Surroundings {
  engine: Engine
  /** Since the last request of the tag's hosts ended; null when none did. */
  quietMs: number | null
  /** The longest of those requests. */
  longestMs: number
  /** In this very visit the vendor's page view for another account is in the timeline. */
  siblingIsSeen: boolean
}

/** Whether a request of the tag may still be on its way. */
export function mayStillCome({ quietMs, longestMs }: Surroundings, settleMs: number): boolean {
  return quietMs === null || quietMs < Math.max(settleMs, PATIENCE * longestMs)
}

/**
 * Whether a page view that is not in the timeline was not sent. In Chromium a `fetch` whose answer nobody reads leaves no
 * entry, in WebKit nothing does that failed: there it takes another page view of the same vendor that is in it.
 */
export function absenceTells(around: Surroundings, settleMs: number): boolean {
  return !mayStillCome(around, settleMs) && (around.engine === 'firefox' || around.siblingIsSeen)
}
