import type { TagVerdict } from '#contract/tag-report.ts'

/** Which of the rules of docs/evidence.md apply. A browser that is none of these can tell nothing, like Chromium. */
export type Engine = 'firefox' | 'webkit' | 'other'

export function findEngine(scope: object): Engine {
  if ('mozInnerScreenX' in scope) return 'firefox'
  return 'GestureEvent' in scope && !('chrome' in scope) ? 'webkit' : 'other'
}

/** What an entry of the timeline proves about its request. */
export function judgeRequest(
  entry: Pick<PerformanceResourceTiming, 'duration' | 'responseStart' | 'nextHopProtocol'> & {
    responseStatus?: number
  },
  engine: Engine,
  clockIsCoarse: boolean,
): TagVerdict {
  const { duration, responseStart, nextHopProtocol, responseStatus = 0 } = entry
  if (responseStatus > 0 || responseStart > 0 || nextHopProtocol !== '') return 'answered'
  // WebKit writes an entry only for what was answered; a cut-off CORS answer leaves none.
  if (engine === 'webkit') return 'answered'
  if (engine === 'firefox' && !clockIsCoarse) return duration === 0 ? 'failed' : 'sent'
  // Chromium: an entry looks the same whether the request arrived, was reset or was blocked.
  return 'unknown'
}

const COARSE_STEP_MS = 1000 / 60

/** Firefox that resists fingerprinting rounds all times to frames: a duration of zero then means nothing. */
export function isCoarse(startTimes: readonly number[]): boolean {
  const distance = (time: number) => Math.abs(time / COARSE_STEP_MS - Math.round(time / COARSE_STEP_MS))
  return startTimes.length > 0 && startTimes.every((time) => distance(time) < 0.01)
}

const ORDER: readonly TagVerdict[] = ['failed', 'unknown', 'sent', 'answered']

export function better(a: TagVerdict | undefined, b: TagVerdict): TagVerdict {
  return a === undefined || ORDER.indexOf(b) > ORDER.indexOf(a) ? b : a
}
