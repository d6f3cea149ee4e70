/** So long visits are looked back at. */
export const BREAKER_WINDOW_MS = 10 * 60_000
const MIN_VISITS = 50

/** Visits of one revision of a tag within the window. */
export interface WindowCounts {
  visits: number
  failed: number
}

/** More than half of enough visits. */
export function isFailing({ visits, failed }: WindowCounts): boolean {
  return visits >= MIN_VISITS && failed * 2 > visits
}
