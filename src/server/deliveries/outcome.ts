import type { Outcome, Row } from './lane.ts'

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
