import type { Outcome, RoundEnd, Row } from './lane.ts'

/** Given back as it was; looked at again after so long. */
export function untouched<Job extends Row>(job: Job, afterMs: number | null = null): Outcome<Job> {
  return { job, state: 'waiting', reason: '', answer: '', message: '', afterMs, isUntouched: true }
}

/** Leaves the queue without another attempt. */
export function settled<Job extends Row>(
  job: Job,
  state: Exclude<Outcome['state'], 'waiting'>,
  answer: string,
  message: string,
): Outcome<Job> {
  return { job, state, reason: '', answer, message, afterMs: null, isUntouched: false }
}

/** Where nothing was taken, the rest would not be either: it waits, instead of being tried row by row. */
export function endOf(outcomes: readonly Outcome<Row>[]): RoundEnd {
  if (outcomes.some(({ state }) => state !== 'waiting')) return 'more'
  return outcomes.some(({ isUntouched }) => !isUntouched) ? 'failing' : 'done'
}
