import type { Failure } from '#contract/error-messages.ts'

/** A call that did not succeed, from either service, in the one form that screens and retries read. */
export class RequestError extends Error implements Failure {
  readonly status: number
  readonly code: string
  readonly reasons: readonly string[]

  constructor(failure: Failure) {
    super(failure.message ?? '')
    this.name = 'RequestError'
    this.status = failure.status
    this.code = failure.code ?? ''
    this.reasons = failure.reasons ?? []
  }
}

/** Anything thrown becomes a failure to describe; what is not ours counts as no answer. */
export function toFailure(error: unknown): Failure {
  return error instanceof RequestError ? error : { status: 0 }
}
