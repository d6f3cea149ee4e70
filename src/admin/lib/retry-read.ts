import { RequestError } from './request-error.ts'

const MAX_RETRIES = 3
/** The data client itself repeats reads on 503 and on a lost connection; these two it does not. */
const RETRYABLE = new Set([502, 504])

export function shouldRetryRead(failureCount: number, error: unknown): boolean {
  return failureCount < MAX_RETRIES && error instanceof RequestError && RETRYABLE.has(error.status)
}

export function retryDelay(failureCount: number): number {
  return 500 * 2 ** failureCount
}
