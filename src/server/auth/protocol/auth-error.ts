import { AppError } from '#server/http/app-error.ts'

/** An error of the protocol (WIRE, section 5): the message is what its clients have always been told. */
export function authError(status: number, code: string, message: string): AppError {
  return new AppError(status, code, message)
}

export function validationFailed(message: string, status = 400): AppError {
  return new AppError(status, 'validation_failed', message)
}

export function rateLimited(retryAfterSeconds: number): AppError {
  return new AppError(429, 'over_request_rate_limit', 'Request rate limit reached', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}

export function emailExists(): AppError {
  return new AppError(422, 'email_exists', 'A user with this email address has already been registered')
}
